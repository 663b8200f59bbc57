#if SQLite
import CSQLite
@_spi(Engines) import NestedRecords

final class Connection {
    let path: String
    let isReadOnly: Bool
    let handle: OpaquePointer
    let busyWait: BusyWait
    private var statements: [String: Statement] = [:]
    var writer = RecordWriter()
    var reader = RecordReader()
    var terms = StoredTerms()
    var knownIndexes = IndexList.none
    var cancellation: Lock<Bool>?

    /// The time until which the thread of a task may be blocked; nil in a separate thread.
    var deadline: ContinuousClock.Instant?

    /// - Parameter waits: Whether opening waits for other users of the file. Afterwards the connection does.
    init(file: String, path: String, options: SQLiteRecordDatabase.Options, isReader: Bool, waits: Bool) throws {
        self.path = path
        isReadOnly = options.isReadOnly || isReader
        // Each connection is used by one thread at a time, but several connections at the same time.
        guard sqlite3_threadsafe() != 0 else {
            throw RecordDatabaseError(.cannotOpen, reason: "this build of SQLite is for one thread", path: path)
        }
        var opened: OpaquePointer?
        let mode = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let creation = options.isReadOnly || isReader ? 0 : SQLITE_OPEN_CREATE
        let result = sqlite3_open_v2(file, &opened, mode | creation | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened, result == SQLITE_OK else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            let extended = opened.map { sqlite3_extended_errcode($0) } ?? result
            sqlite3_close_v2(opened)
            throw RecordDatabaseError(resultCode: extended, message: message, path: path)
        }
        handle = opened
        busyWait = BusyWait(timeout: options.busyTimeout, isOn: waits)
        sqlite3_extended_result_codes(handle, 1)
        busyWait.install(in: handle)
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA cell_size_check = ON")
        try run(options.durability == .full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        // On systems whose ordinary flush leaves bytes in the disk's cache.
        if options.durability == .full { try run("PRAGMA fullfsync = ON") }
        if isReader {
            try run("PRAGMA query_only = ON")
            // In KiB. It also limits sorting in memory: `referrers(of:)` for 20,000 records with 200 bytes each would
            // use a temporary file with the default of 2,000, and take a fifth longer.
            try run("PRAGMA cache_size = -8000")
        } else {
            try prepareSchema(writesFields: options.writesFieldsForSQL)
        }
        busyWait.isOn = true
    }

    deinit {
        for statement in statements.values { statement.finish() }
        sqlite3_close_v2(handle)
    }

    func failure(_ resultCode: Int32) -> RecordDatabaseError {
        RecordDatabaseError(
            resultCode: sqlite3_extended_errcode(handle) == SQLITE_OK
                ? resultCode : sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)), path: path)
    }

    struct NeedsOwnThread: Error {}

    /// Runs the closure without waiting: if others use the file, or the work takes long, an error is thrown.
    func withoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        busyWait.isOn = false
        deadline = .now + .milliseconds(1)
        defer {
            busyWait.isOn = true
            deadline = nil
        }
        return try body()
    }

    func checkCancellation() throws {
        if let cancellation {
            // In a separate thread, without a deadline.
            if cancellation.withLock({ $0 }) { throw CancellationError() }
        } else if let deadline, deadline < .now {
            throw NeedsOwnThread()
        }
    }
}

// MARK: Statements

extension Connection {
    /// Runs a statement, and calls the closure with each row until it returns false.
    ///
    /// Statements are kept, so there must be few different ones. The closure must not run the same statement.
    func forEachRow(_ sql: String, _ values: [Statement.Value] = [], _ body: (Row) throws -> Bool) throws {
        let rows = try rows(sql, values)
        defer { rows.close() }
        while let row = try rows.next() { if try !body(row) { return } }
    }

    /// The rows of a statement, to be read one by one and closed.
    ///
    /// Until they are closed, the same statement must not run.
    func rows(_ sql: String, _ values: [Statement.Value]) throws -> Rows {
        let rows = Rows(statement: try statement(sql), connection: self)
        do {
            try rows.statement.bind(values, self)
        } catch {
            rows.close()
            throw error
        }
        return rows
    }

    func run(_ sql: String, _ values: Statement.Value...) throws { try forEachRow(sql, values) { _ in true } }

    /// The result of the closure for the first row; nil if there is none.
    func first<Result>(_ sql: String, _ values: Statement.Value..., body: (Row) throws -> Result) throws -> Result? {
        var found: Result?
        try forEachRow(sql, values) {
            found = try body($0)
            return false
        }
        return found
    }

    private func statement(_ sql: String) throws -> Statement {
        if let statement = statements[sql] { return statement }
        var pointer: OpaquePointer?
        let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard result == SQLITE_OK, let pointer else { throw failure(result) }
        let statement = Statement(pointer)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement without a result, whose values the closure binds; returns the number of changed rows.
    func run(_ sql: String, binding: (Statement) -> Int32) throws -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        var result = binding(statement)
        if result == SQLITE_OK { result = statement.step() }
        guard result == SQLITE_DONE else { throw failure(result) }
        return Int(sqlite3_changes(handle))
    }

    var lastNumber: Int64 { sqlite3_last_insert_rowid(handle) }
}

struct Rows {
    fileprivate let statement: Statement
    fileprivate let connection: Connection

    func next() throws -> Row? {
        switch statement.step() {
        case SQLITE_ROW: return Row(statement)
        case SQLITE_DONE: return nil
        case let result: throw connection.failure(result)
        }
    }

    func close() { statement.reset() }
}

// MARK: Transactions

extension Connection {
    /// Runs the closure in a transaction that excludes other writers; rolls back if it throws.
    ///
    /// - Throws: `RecordDatabaseError.fileReplaced` if the path no longer leads to the file; the errors of the closure.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction("BEGIN IMMEDIATE") {
            try checkPlace()
            return try body()
        }
    }

    /// Checks that the path leads to the file: what is written to a deleted file is lost.
    private func checkPlace() throws {
        var hasMoved: Int32 = 0
        // Other file systems than those of Unix do not know it.
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK, hasMoved != 0 else {
            return
        }
        throw RecordDatabaseError(.fileReplaced, path: path)
    }

    /// Calls the closure for each element as ``write(_:)`` does, in one transaction if possible; undoes the changes of an
    /// element for which it throws.
    func writeEach<Element, Success>(
        _ elements: [Element], _ body: (Element) throws -> Success
    ) throws -> [Result<Success, any Error>] {
        if elements.count > 1 {
            try run("BEGIN IMMEDIATE")
            do {
                try checkPlace()
                let results = try elements.map { element in try savepoint { try body(element) } }
                try run("COMMIT")
                return results
            } catch {
                // An element for which there is no space must not prevent the others from being written.
                rollBack()
            }
        }
        return elements.map { element in Result { try write { try body(element) } } }
    }

    /// - Throws: An error that has rolled back the whole transaction.
    private func savepoint<Success>(_ body: () throws -> Success) throws -> Result<Success, any Error> {
        try run("SAVEPOINT batch")
        let result = Result { try body() }
        if case .failure(let failure) = result {
            guard sqlite3_get_autocommit(handle) == 0 else { throw failure }
            forgetTerms()
            try run("ROLLBACK TO batch")
        }
        try run("RELEASE batch")
        return result
    }

    /// Forgets what a transaction has added that is rolled back.
    private func forgetTerms() { (terms, knownIndexes) = (StoredTerms(), .none) }

    private func rollBack() {
        forgetTerms()
        // Some errors have rolled back already. If the rollback fails, the end of the connection undoes the changes.
        if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
    }

    /// Runs the closure on one snapshot of the file.
    func read<Result>(_ body: () throws -> Result) throws -> Result { try transaction("BEGIN", body) }

    private func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }
}
#endif
