import Foundation
@_spi(Engines) import NestedRecords
import NestedRecordsCloudKit

/// The address of a database in CloudKit:
/// `cloudkit://CONTAINER/ENVIRONMENT/DATABASE/ZONE?naming=plain&target=TYPE.FIELD:TYPE&untyped=TYPE.FIELD&type=TYPE`.
struct CloudKitAddress {
    private let shown: String
    private let container: String
    private let environment: CloudKitEnvironment
    private let isPublic: Bool
    private var options = CloudKitRecordDatabase.Options()

    private static let userVariables = ("CLOUDKIT_API_TOKEN", "CLOUDKIT_WEB_TOKEN_FILE")
    private static let keyVariables = ("CLOUDKIT_KEY_ID", "CLOUDKIT_PRIVATE_KEY_FILE")

    /// - Throws: ``InputError`` for an address of another form.
    init(_ place: DatabasePlace) throws {
        shown = place.shown
        let malformed = InputError(
            input: shown,
            reason: "is not the address of a CloudKit database, such as "
                + "'cloudkit://iCloud.com.example.schools/development/private/Schools' or "
                + "'cloudkit://iCloud.com.example.schools/production/public?type=School'")
        guard let address = place.address, !address.hasUser, address.schema == nil,
            let (steps, parameters) = address.parts, (3...4).contains(steps.count), !steps.contains(""),
            let environment = CloudKitEnvironment(rawValue: steps[1]),
            steps[2] == "private" || steps[2] == "public" && steps.count == 3
        else { throw malformed }
        (container, self.environment, isPublic) = (steps[0], environment, steps[2] == "public")
        if steps.count == 4 { options.zone = steps[3] }
        var (isPlain, targets): (Bool, [String: String]) = (false, [:])
        for (name, values) in parameters {
            let value = values.joined(separator: ":")
            switch name {
            case _ where values.isEmpty || values.contains(""): throw malformed
            case "naming" where value == "plain": isPlain = true
            case "target" where values.count == 2 && targets.updateValue(values[1], forKey: values[0]) == nil: continue
            case "untyped": options.untyped.insert(value)
            case "type" where isPublic: options.types = ((options.types ?? []) + [value]).uniqued()
            default: throw malformed
            }
        }
        guard isPlain || targets.isEmpty else { throw malformed }
        if isPlain { options.naming = .plain(targets: targets) }
    }

    /// Opens the database, with the rights that the environment gives.
    ///
    /// - Throws: ``InputError`` without rights, and for a zone that is only to be read and does not exist; errors of the
    ///   database.
    func open(for use: DatabaseUse) async throws -> CloudKitDatabase {
        let context = CloudKitContext.current
        let access = isPublic ? try keyAccess(context) : try userAccess(context)
        let database =
            if let transport = context.transport {
                try CloudKitRecordDatabase(
                    container: container, environment: environment, access: access, transport: transport,
                    options: options)
            } else {
                try CloudKitRecordDatabase(
                    container: container, environment: environment, access: access, options: options)
            }
        do {
            if case .reading = use {} else { try await database.prepare() }
            // Fails now without rights or a zone, and not in the middle of the work, nor after many attempts. A query
            // would read the whole zone.
            _ = try await database.records(for: [Record.ID(type: "A", name: "a")])
        } catch let failure as RecordDatabaseError where failure.code == .notPrepared {
            throw InputError(
                input: shown,
                reason: "has no zone '\(options.zone)'; 'records copy' creates it")
        } catch let failure as RecordDatabaseError where failure.code == .notSignedIn {
            let (first, second) = isPublic ? Self.keyVariables : Self.userVariables
            throw InputError(
                input: shown,
                reason: "CloudKit refused the rights of \(first) and \(second) (\(failure.reason ?? "no reason")), "
                    + "which are those of one container and environment"
                    + (isPublic ? "" : "; a web token is for one command at a time and half an hour, so sign in again")
            )
        }
        return CloudKitDatabase(database, shown: shown, listsTypes: !isPublic || options.types != nil)
    }

    private func userAccess(_ context: CloudKitContext) throws -> CloudKitAccess {
        let (tokenName, pathName) = Self.userVariables
        guard let (apiToken, path) = context.values(of: tokenName, pathName) else {
            throw InputError(
                input: shown,
                reason: "needs the rights of a user; set \(tokenName) to the API token of the container, and "
                    + "\(pathName) to the path of a file with the web token of the user, which each answer of CloudKit "
                    + "replaces")
        }
        return try context.user(apiToken: apiToken, in: WebTokenFile(path))
    }

    private func keyAccess(_ context: CloudKitContext) throws -> CloudKitAccess {
        let (idName, pathName) = Self.keyVariables
        guard let (id, path) = context.values(of: idName, pathName) else {
            throw InputError(
                input: shown,
                reason: "needs a server-to-server key; set \(idName) to the ID of the key, and \(pathName) to the path "
                    + "of its PEM file")
        }
        #if canImport(Security) || OpenSSL
        guard let pem = (try? OpenFile.bytes(of: path)).flatMap({ String(validUTF8: $0) }) else {
            throw InputError(input: path, reason: "cannot be read for a server-to-server key")
        }
        do {
            return try .serverKey(id: id, pem: pem)
        } catch let failure as RecordDatabaseError {
            throw InputError(input: path, reason: failure.reason ?? failure.description)
        }
        #else
        _ = id
        throw InputError(
            input: path,
            reason: "has a server-to-server key, with which this build cannot sign: build it with '--traits OpenSSL'")
        #endif
    }
}

/// A database in CloudKit, whose calls are repeated while CloudKit refuses them for now.
struct CloudKitDatabase: StoredDatabase, ForwardingRecordDatabase {
    let base: any RecordDatabase
    private let shown: String

    /// Whether the types of the records are known.
    private let listsTypes: Bool

    init(_ database: CloudKitRecordDatabase, shown: String, listsTypes: Bool) {
        (self.shown, self.listsTypes) = (shown, listsTypes)
        base = RetriedRecordDatabase(database, database.limits.retries ?? RetryPolicy())
    }

    func storedRecords(ofType type: String?) -> RecordSequence {
        if listsTypes || type != nil { return base.storedRecords(ofType: type) }
        let reason =
            "does not list its types, since it is the public database of CloudKit; name them in its address, such as "
            + "'?type=School&type=Person', or choose one with '--type'"
        return RecordSequence { [shown] in FailingRecords(error: InputError(input: shown, reason: reason)) }
    }

    /// CloudKit counts nothing, so all records are read.
    func recordCounts() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for try await record in storedRecords(ofType: nil) { counts[record.id.type, default: 0] += 1 }
        return counts
    }

    func fieldIndexes() -> [FieldIndex]? { nil }

    /// Nothing: CloudKit checks its storage itself.
    func damage() -> [(text: String, isHarmless: Bool)] { [] }

    func close() {}
}

/// Records that cannot be listed.
private struct FailingRecords: AsyncIteratorProtocol {
    let error: InputError

    func next() async throws -> Record? { throw error }
}
