import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP

#if PostgreSQL
import NestedRecordsPostgreSQL
#endif
#if SQLite
import NestedRecordsSQLite
#endif

/// What the tool knows of databases of one kind: a row of the table of engines.
struct Engine: Sendable {
    typealias Opening = @Sendable (DatabasePlace, DatabaseUse) async throws -> any StoredDatabase

    /// The name with its article.
    let name: String

    /// The first bytes of files; empty for servers.
    var start = ""

    /// The suffixes of the names of new files.
    var suffixes: [String] = []

    /// The beginnings of addresses, whose case does not matter; none for files.
    var schemes: [String] = []

    /// Whether an index can be removed, of a database that keeps indexes.
    var removesIndexes = false

    /// Whether the system drops the locks of a file when the process closes any descriptor of it.
    var hasLocksOfProcess = false

    /// The trait of the package without which a build does not support the engine; nil if every build does.
    var trait: String?

    /// Opens the database at a place; nil if this build does not support the engine.
    let open: Opening?
}

// MARK: Rows

extension Engine {
    static let all = [recordFile, sqlite, postgreSQL, firestore, cloudKit, service]

    /// A file that no other row recognizes is opened as one, too.
    static let recordFile = Engine(name: "a record file", start: "NRDB") { place, use in
        let isForReading = if case .reading = use { true } else { false }
        do {
            let database = try FileRecordDatabase(
                path: place.path, options: isForReading ? .readOnly : FileRecordDatabase.Options())
            try await database.prepare()
            return database
        } catch RecordDatabaseError.Code.locked where !isForReading {
            let reason = "is open for writing somewhere else; close it there and try again"
            throw InputError(input: place.path, reason: reason)
        }
    }

    static let sqlite = Engine(
        name: "a SQLite database", start: "SQLite format 3\0", suffixes: [".sqlite", ".sqlite3", ".db"],
        removesIndexes: true, hasLocksOfProcess: true, trait: "SQLite", open: openSQLite)

    static let postgreSQL = Engine(
        name: "a PostgreSQL server", schemes: ["postgresql://", "postgres://"], trait: "PostgreSQL",
        open: openPostgreSQL)

    static let firestore = Engine(name: "a Firestore database", schemes: ["firestore://"]) { place, _ in
        let address = try FirestoreAddress(place)
        return try await named(place) { try await address.open() }
    }

    static let cloudKit = Engine(name: "a CloudKit database", schemes: ["cloudkit://"]) { place, use in
        let address = try CloudKitAddress(place)
        return try await named(place) { try await address.open(for: use) }
    }

    /// The access token of a service is in a variable, or in a file that another variable names: an argument would be in the
    /// history of the shell.
    static let service = Engine(name: "a service of records", schemes: ["https://", "http://"]) { place, _ in
        guard let address = place.address, !address.hasUser, address.schema == nil,
            let url = URL(string: address.connection), url.query == nil
        else {
            throw InputError(
                input: place.shown,
                reason:
                    "is not the address of a service, such as 'https://example.org/records'; the access token is in "
                    + "the variable NESTEDRECORDS_TOKEN, or in the file that NESTEDRECORDS_TOKEN_FILE names")
        }
        var options = RemoteRecordDatabase.Options()
        let variables = ProcessInfo.processInfo.environment
        if let path = variables["NESTEDRECORDS_TOKEN_FILE"] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw InputError(input: path, reason: "cannot be read for the access token")
            }
            let token = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isWhitespace }))
            options.accessToken = { _ in token }
        } else if let token = variables["NESTEDRECORDS_TOKEN"] {
            options.accessToken = { _ in token }
        }
        let opened = options
        return try await named(place) {
            let database = RemoteRecordDatabase(url, options: opened)
            // Fails now if there is no service, and not in the middle of the work.
            _ = try await database.count(RecordQuery("A"))
            return database
        }
    }

    /// Names the place in errors of opening.
    private static func named(
        _ place: DatabasePlace, _ open: () async throws -> any StoredDatabase
    ) async throws -> any StoredDatabase {
        do {
            return try await open()
        } catch let failure as any ClassifiedError {
            throw InputError(input: place.shown, reason: failure.description)
        }
    }

    private static var openSQLite: Opening? {
        #if SQLite
        return { place, use in
            var options = SQLiteRecordDatabase.Options()
            if case .reading = use {} else { try await checkOwner(ofSQLiteFile: place.path) }
            switch use {
            case .reading: options.isReadOnly = true
            case .writing: break
            case .writingForSQL: options.writesFieldsForSQL = true
            case .indexing(let indexes, let removesOthers):
                (options.indexes, options.removesOtherIndexes) = (indexes, removesOthers)
            }
            let database = try SQLiteRecordDatabase(path: place.path, options: options)
            switch use {
            // Fails now if the file is not a database of records.
            case .reading, .writingForSQL: try await database.prepare()
            case .writing, .indexing: break
            }
            return database
        }
        #else
        return nil
        #endif
    }

    #if SQLite
    /// Checks that a file is not a database of another program, which SQLite would change by opening it for writing.
    private static func checkOwner(ofSQLiteFile path: String) async throws {
        guard OpenFile.size(at: path) ?? 0 > 0 else { return }
        do {
            let database = try SQLiteRecordDatabase(path: path, options: .readOnly)
            try await database.prepare()
            try await database.close()
        } catch RecordDatabaseError.Code.notARecordDatabase {
            if try SQLiteTables.exist(in: path) { throw InputError.ofOtherProgram(path) }
        } catch {
            // Opening it for writing has the same error, or none.
        }
    }
    #endif

    private static var openPostgreSQL: Opening? {
        #if PostgreSQL
        return { place, use in
            var options = PostgreSQLRecordDatabase.Options()
            if let schema = place.address?.schema { options.schema = schema }
            // The tool must not forget deletions on the server.
            options.historyAge = nil
            if case .indexing(let indexes, _) = use { options.indexes = indexes }
            do {
                let database = try PostgreSQLRecordDatabase(
                    connection: place.address?.connection ?? place.path, options: options)
                switch use {
                // Fails now if the tables are missing, and not in the middle of the work.
                case .reading: _ = try await database.count(RecordQuery("A"))
                case .writing, .writingForSQL, .indexing: try await database.prepare()
                }
                return database
            } catch let failure as RecordDatabaseError where failure.code == .notPrepared {
                throw InputError(
                    input: place.shown,
                    reason: "has no record tables; 'records copy' creates them ("
                        + "\(failure.reason ?? failure.code.rawValue))")
            } catch let failure as RecordDatabaseError {
                throw InputError(input: place.shown, reason: failure.description)
            }
        }
        #else
        return nil
        #endif
    }
}

#if SQLite
extension SQLiteRecordDatabase: StoredDatabase {
    func fieldIndexes() async throws -> [FieldIndex]? { try await storedIndexes() }

    func damage() async throws -> [(text: String, isHarmless: Bool)] {
        try await verify().map { ($0.description, false) }
    }
}
#endif

#if PostgreSQL
extension PostgreSQLRecordDatabase: StoredDatabase {
    func fieldIndexes() async throws -> [FieldIndex]? { try await storedIndexes() }

    func damage() async throws -> [(text: String, isHarmless: Bool)] {
        try await verify().map { ($0.description, false) }
    }
}
#endif

extension RemoteRecordDatabase: StoredDatabase {
    func fieldIndexes() -> [FieldIndex]? { nil }

    /// Nothing: a service checks its database itself.
    func damage() -> [(text: String, isHarmless: Bool)] { [] }

    func close() {}
}

extension FileRecordDatabase: StoredDatabase {
    func fieldIndexes() -> [FieldIndex]? { nil }

    func damage() async throws -> [(text: String, isHarmless: Bool)] {
        var found = try await verify().map { (text: $0.description, isHarmless: $0.isDead) }
        if recoveredByteCount > 0 {
            found.append(("an unfinished save of \(recoveredByteCount.grouped) bytes at the end", true))
        }
        return found
    }
}
