package import NestedRecords
package import NestedRecordsFile

/// Batches that show whether one of them is torn: the batch *k* sets some records to *k*, adds one, and deletes that of
/// *k* − 3.
package struct CountedBatches: Sendable {
    package var task: Int
    package var width: Int

    /// Bytes that each of the records carries besides.
    package var padding: Int

    package init(task: Int = 0, width: Int = 20, padding: Int = 0) {
        (self.task, self.width, self.padding) = (task, width, padding)
    }

    /// What a database holds that no whole batches can have left.
    package struct Torn: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private func setID(_ position: Int) throws -> Record.ID { try Record.ID("S\(task)/\(position)") }
    private func addedID(_ number: Int) throws -> Record.ID { try Record.ID("A\(task)/\(number)") }

    private func record(_ id: Record.ID, _ number: Int) throws -> Record {
        var fields: Record.Fields = ["n": .int(Int64(number))]
        if padding > 0 { fields["text"] = .string(String(repeating: "\(number % 10)", count: padding)) }
        return try Record(id: id, fields: fields)
    }

    /// The records that are there after a batch.
    package func records(after number: Int) throws -> [Record] {
        guard number > 0 else { return [] }
        let set = try (0..<width).map { try record(setID($0), number) }
        return try set + (max(1, number - 2)...number).map { try record(addedID($0), $0) }
    }

    package func save(_ number: Int, in database: FileRecordDatabase) async throws {
        let records = try (0..<width).map { try record(setID($0), number) } + [record(addedID(number), number)]
        let deleted = number > 3 ? [try addedID(number - 3)] : []
        try await database.commit(RecordBatch(saving: records, deletingAnyVersionOf: deleted, savePolicy: .overwrite))
    }

    /// The number of the last batch in a database.
    ///
    /// - Parameter records: All that the database holds, also of other tasks.
    package func number(in records: [Record.ID: Record]) throws -> Int {
        let own = records.filter { $0.key.type == "S\(task)" || $0.key.type == "A\(task)" }
        guard case .int(let number)? = own.values.first(where: { $0.id.type == "S\(task)" })?["n"] else {
            guard own.isEmpty else { throw Torn(description: "only \(own.keys.sorted())") }
            return 0
        }
        let expected = try self.records(after: Int(number))
        guard expected.count == own.count, expected.allSatisfy({ own[$0.id]?.fields == $0.fields }) else {
            let found = own.values.sorted { $0.id < $1.id }.map { "\($0.id)=\($0["n"] ?? .null)" }
            throw Torn(description: "not batch \(number): \(found)")
        }
        return Int(number)
    }
}

extension FileRecordDatabase {
    /// The number of the last batch of each task, by scanning and by fetching.
    package func numbers(of batches: [CountedBatches]) async throws -> [Int] {
        var scanned: [Record.ID: Record] = [:]
        for try await record in records(ofType: nil) {
            guard scanned.updateValue(record, forKey: record.id) == nil else {
                throw CountedBatches.Torn(description: "\(record.id) is there twice")
            }
        }
        let fetched = try await records(for: Array(scanned.keys))
        guard fetched.count == scanned.count, fetched.allSatisfy({ scanned[$0.id] == $0 }) else {
            throw CountedBatches.Torn(description: "a fetch gives something else than a scan")
        }
        return try batches.map { try $0.number(in: scanned) }
    }
}

extension SimulatedDisk {
    /// Saves a batch, and notes how far it has come.
    package func save(_ number: Int, of batches: CountedBatches, in database: FileRecordDatabase) async throws {
        change { $0.progress[batches.task, default: BatchProgress()].attempted = number }
        try await batches.save(number, in: database)
        change { $0.progress[batches.task, default: BatchProgress()].acknowledged = number }
        // A reader that reads a page now and then, and never all of them on its own. What it cannot read is not its
        // writer's matter.
        guard let follower = try? await readPage(of: database, for: batches.task) else { return }
        change { $0.followers[batches.task] = follower }
    }

    private func readPage(of database: FileRecordDatabase, for task: Int) async throws -> ChangeFollower {
        let known = state.followers[task]
        var follower = if let known { known } else { ChangeFollower(token: try await database.oldestChangeToken()) }
        _ = try await follower.readPage(of: database, limit: 2)
        return follower
    }

    /// Notes that all that was acknowledged is safe whatever the durability.
    package func noteSafety() {
        change { state in
            state.progress = state.progress.mapValues {
                BatchProgress(acknowledged: $0.acknowledged, attempted: $0.attempted, safe: $0.acknowledged)
            }
        }
    }
}
