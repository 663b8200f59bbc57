#if SQLite
import NestedRecords
import NestedRecordsSQLite

/// Follows the feed, and looks whether each batch comes whole, in its turn and once.
struct Reader {
    private let database: SQLiteRecordDatabase
    private var token: ChangeToken
    private var records: [Record.ID: Record] = [:]

    /// The last number of each writer, of its batches and of its increments.
    private var entries: [String: Int64] = [:]
    private var increments: [String: Int64] = [:]

    init(path: String) async throws {
        var options = SQLiteRecordDatabase.Options()
        options.busyTimeout = .seconds(100)
        options.pollInterval = .milliseconds(5)
        database = try SQLiteRecordDatabase(path: path, options: options)
        token = try await database.oldestChangeToken()
    }

    mutating func takeStep() async throws {
        // Small pages, so that many end between two batches.
        let changes = try await database.changes(since: token, limit: .random(in: 1...20))
        try note(changes)
        if changes.isComplete { try await waitAWhile() }
    }

    /// Reads what is left once nobody writes any more, and compares all.
    mutating func finish() async throws {
        var isComplete = false
        while !isComplete {
            let changes = try await database.changes(since: token, limit: 20)
            try note(changes)
            isComplete = changes.isComplete
        }
        var count = 0
        for try await record in database.records(ofType: nil) {
            count += 1
            if records[record.id] != record { throw Wrong("the feed does not lead to \(record)") }
        }
        if count != records.count { throw Wrong("the feed leads to \(records.count) records in place of \(count)") }
        report("seen \(entries.values.reduce(0, +)) \(increments.values.reduce(0, +))")
    }

    /// Waits for changes, but not for longer than until one may have to stop.
    private func waitAWhile() async throws {
        let (database, token) = (database, token)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await database.waitForChanges(after: token) }
            group.addTask { try await Task.sleep(for: .milliseconds(200)) }
            try await group.next()
            group.cancelAll()
        }
    }

    private mutating func note(_ changes: RecordChanges) throws {
        var halves: [String: Int] = [:]
        for record in changes.saved {
            records[record.id] = record
            guard case .string(let writer)? = record["writer"], case .int(let number)? = record["number"] else {
                continue
            }
            switch record.id.type {
            case "Entry":
                // The first half of a batch goes on after the last batch, the second one belongs to it.
                let isSecond = halves[writer, default: 0] % 2 == 1
                let expected = entries[writer, default: 0] + (isSecond ? 0 : 1)
                guard number == expected else {
                    throw Wrong("\(record.id) came in place of the number \(expected)")
                }
                entries[writer] = number
                halves[writer, default: 0] += 1
            case "Increment":
                let expected = increments[writer, default: 0] + 1
                guard number == expected else {
                    throw Wrong("\(record.id) came in place of the number \(expected)")
                }
                increments[writer] = number
            default: break
            }
        }
        if let half = halves.first(where: { $0.value % 2 == 1 }) { throw Wrong("half a batch of \(half.key)") }
        // All increments before the last one are in this page, or were before.
        for record in changes.saved where record.id.type == "Counter" {
            let count = increments.values.reduce(0, +)
            if record["value"] != .int(count) { throw Wrong("\(record) after \(count) increments") }
        }
        for id in changes.deleted { records[id] = nil }
        token = changes.token
    }
}
#endif
