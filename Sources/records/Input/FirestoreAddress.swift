import Foundation
import NestedRecords
import NestedRecordsFirestore

/// The address of a database in Firestore:
/// `firestore://PROJECT/DATABASE/PATH?collection=TYPE:COLLECTION&type=TYPE&journal&access=metadata`.
struct FirestoreAddress {
    private let shown: String
    private let project: String
    private var options = FirestoreRecordDatabase.Options()

    /// Whether the rights are those of the machine, on Google Cloud.
    private var usesMetadataServer = false

    /// - Throws: ``InputError`` for an address of another form.
    init(_ place: DatabasePlace) throws {
        shown = place.shown
        let malformed = InputError(
            input: shown,
            reason: "is not the address of a Firestore database, such as 'firestore://school-1f0c2' or "
                + "'firestore://school-1f0c2/(default)/users/ann?collection=School:schools'")
        guard let address = place.address, !address.hasUser, address.schema == nil,
            let (steps, parameters) = address.parts
        else { throw malformed }
        project = steps[0]
        if steps.count > 1, !steps[1].isEmpty { options.database = steps[1] }
        options.path = steps.dropFirst(2).joined(separator: "/")
        // Many records are one page of a copy; the limit of a request is its bytes.
        options.batchLimit = 10_000
        for (name, values) in parameters {
            switch (name, values) {
            case ("journal", []): options.journal = FirestoreRecordDatabase.Journal()
            case ("access", ["metadata"]): usesMetadataServer = true
            case ("type", let names) where names.count == 1: options.types = (options.types ?? []) + names
            case ("collection", let names)
            where names.count == 2 && options.collections.updateValue(names[1], forKey: names[0]) == nil:
                continue
            default: throw malformed
            }
        }
    }

    /// Opens the database, with the rights that the environment or the address gives.
    ///
    /// - Throws: ``InputError`` without rights; errors of the database.
    func open() async throws -> FirestoreDatabase {
        let database = try FirestoreRecordDatabase(project: project, access: access(), options: options)
        // Fails now if there is no database, and not in the middle of the work, nor after many attempts.
        _ = try await database.count(RecordQuery("A"))
        return FirestoreDatabase(database)
    }

    /// Tokens are in variables, as for Google's programs: an argument would be in the history of the shell.
    private func access() throws -> FirestoreAccess {
        let variables = ProcessInfo.processInfo.environment
        if let host = variables["FIRESTORE_EMULATOR_HOST"] { return try .emulator(host: host) }
        if usesMetadataServer { return try .metadataServer() }
        if let token = variables["CLOUDSDK_AUTH_ACCESS_TOKEN"] { return try .token { _ in token } }
        // https://cloud.google.com/docs/authentication/application-default-credentials#GAC
        if let path = variables["GOOGLE_APPLICATION_CREDENTIALS"] { return try Self.access(withKeyIn: path) }
        throw InputError(
            input: shown,
            reason: "needs a token; set CLOUDSDK_AUTH_ACCESS_TOKEN to what 'gcloud auth print-access-token' prints, "
                + "GOOGLE_APPLICATION_CREDENTIALS to the path of the key of a service account, or FIRESTORE_EMULATOR_HOST "
                + "to the host and port of an emulator, or on Google Cloud add 'access=metadata' to the address")
    }

    private static func access(withKeyIn path: String) throws -> FirestoreAccess {
        #if canImport(Security) || OpenSSL
        guard let file = FileManager.default.contents(atPath: path) else {
            throw InputError(input: path, reason: "cannot be read for the key of a service account")
        }
        do {
            return try .serviceAccount(file)
        } catch let failure as RecordDatabaseError {
            throw InputError(input: path, reason: failure.reason ?? failure.description)
        }
        #else
        throw InputError(
            input: path,
            reason: "has the key of a service account, with which this build cannot sign: build it with '--traits "
                + "OpenSSL', or set CLOUDSDK_AUTH_ACCESS_TOKEN to what 'gcloud auth print-access-token' prints")
        #endif
    }
}

/// A database in Firestore, whose calls are repeated while Firestore refuses them for now.
struct FirestoreDatabase: StoredDatabase, ForwardingRecordDatabase {
    private let firestore: FirestoreRecordDatabase
    let base: any RecordDatabase

    init(_ database: FirestoreRecordDatabase) {
        firestore = database
        base = RetriedRecordDatabase(database, database.limits.retries ?? RetryPolicy())
    }

    func recordCounts() async throws -> [String: Int] { try await firestore.recordCounts() }

    func fieldIndexes() -> [FieldIndex]? { nil }

    /// Nothing: Firestore checks its storage itself.
    func damage() -> [(text: String, isHarmless: Bool)] { [] }

    func close() {}
}
