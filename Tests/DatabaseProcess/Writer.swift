#if SQLite
import NestedRecords
import NestedRecordsSQLite

/// Saves batches with numbers that go up by one, and counts up a counter that all writers share.
struct Writer {
    private let name: String
    private let database: SQLiteRecordDatabase
    private var savedNumber: Int64 = 0
    private var countedNumber: Int64 = 0

    init(name: String, path: String) throws {
        self.name = name
        var options = SQLiteRecordDatabase.Options()
        options.indexes = [FieldIndex("Entry", by: "number")]
        // The others take turns without an order.
        options.busyTimeout = .seconds(100)
        database = try SQLiteRecordDatabase(path: path, options: options)
    }

    mutating func takeStep() async throws {
        if Int.random(in: 0..<8) > 0 {
            savedNumber += 1
            report("save \(savedNumber)")
            try await database.commit(try batch(savedNumber))
            report("saved \(savedNumber)")
        } else {
            countedNumber += 1
            report("count \(countedNumber)")
            try await count(countedNumber)
            report("counted \(countedNumber)")
        }
    }

    /// Two records that were not there, and one that is there after every other batch.
    private func batch(_ number: Int64) throws -> RecordBatch {
        let fields: Record.Fields = ["writer": .string(name), "number": .int(number)]
        var batch = RecordBatch(
            saving: try ["a", "b"].map {
                try Record(id: Record.ID(type: "Entry", name: "\(name)-\(number)\($0)"), fields: fields)
            }, savePolicy: .ifUnchanged)
        let slot = try Record.ID(type: "Slot", name: name)
        if number % 2 == 0 {
            batch.deletions = [RecordBatch.VersionedID(slot)]
        } else {
            batch.saves.append(try Record(id: slot, fields: fields))
        }
        return batch
    }

    /// Counts up the counter, and leaves a record that tells so.
    private func count(_ number: Int64) async throws {
        let id = try Record.ID(type: "Counter", name: "all")
        let mark = try Record(
            id: Record.ID(type: "Increment", name: "\(name)-\(number)"),
            fields: ["writer": .string(name), "number": .int(number)])
        try await database.transaction(maximumAttempts: 10_000) { transaction in
            var counter = try Record(id: id, fields: ["value": .int(0)])
            if let found = try await transaction.records(for: [id]).first { counter = found }
            guard case .int(let value)? = counter["value"] else { throw Wrong("\(counter)") }
            counter["value"] = .int(value + 1)
            try await transaction.commit(RecordBatch(saving: [counter, mark]))
        }
    }
}
#endif
