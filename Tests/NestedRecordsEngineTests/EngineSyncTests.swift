import Foundation
import NestedRecords
import NestedRecordsSync
import TestSupport
import Testing

@Suite struct EngineSyncTests {
    /// Random edits in two databases of each kind, with one of each kind between them.
    @Test func databasesOfAnyTwoKindsAgree() async throws {
        try await Engine.forEach { local in
            var pairCount = 0
            try await Engine.forEach { remote in
                pairCount += 1
                let name = "pair\(pairCount)"
                try await removeAll(from: local.database)
                let other = InMemoryRecordDatabase()
                var random = SplitMix64(seed: 1)
                var options = SyncOptions()
                options.rules.set(.counter, for: "count", ofType: "Card")
                options.pageSize = 4
                let syncs = try [local.database as any RecordDatabase, other].map {
                    try RecordSync($0, with: remote.database, named: name, options: options)
                }
                var total: Int64 = 0
                for round in 0..<8 {
                    for database in [local.database as any RecordDatabase, other] {
                        for _ in 0..<3 { total += try await edit(database, &random) }
                    }
                    try await syncs[round % 2].synchronize()
                }
                for _ in 0..<3 { for sync in syncs { try await sync.synchronize() } }
                let contents = try await contents(of: remote.database)
                let label = "\(local.name) with \(remote.name)"
                #expect(try await self.contents(of: local.database) == contents, "\(label)")
                #expect(try await self.contents(of: other) == contents, "\(label)")
                let sum = contents.values.reduce(into: Int64(0)) { sum, fields in
                    if case .int(let count)? = fields["count"] { sum += count }
                }
                #expect(sum == total, "\(label)")
                #expect(contents.count > 3, "\(label)")
                for sync in syncs { #expect(try await sync.verify().isEmpty, "\(label)") }
                let outcome = try await syncs[0].synchronize()
                #expect((outcome.savedCount, outcome.pushedCount, outcome.isComplete) == (0, 0, true), "\(label)")
            }
        }
    }

    /// Edits a random record; returns how much was added to a counter.
    private func edit(_ database: any RecordDatabase, _ random: inout SplitMix64) async throws -> Int64 {
        let page = try await database.page(RecordQuery("Card"))
        let number = Int64(random.next() % 1_000_000)
        guard var record = page.records.randomElement(using: &random), !random.chance(oneIn: 3) else {
            let id = try Record.ID(type: "Card", name: "\(number)/é.\(number)")
            let fields: Record.Fields = [
                "text": "new", "count": 0, "at": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            ]
            try await database.commit(RecordBatch(saving: [try Record(id: id, fields: fields)], savePolicy: .overwrite))
            return 0
        }
        if random.chance(oneIn: 8), record["count"] == 0 {
            // A count that the other side adds at the same time brings the record back.
            try await database.commit(RecordBatch(deletingAnyVersionOf: [record.id]))
            return 0
        }
        guard random.chance(oneIn: 2), case .int(let count)? = record["count"] else {
            record["text"] = .string("\(number)")
            try await database.commit(RecordBatch(saving: [record]))
            return 0
        }
        record["count"] = .int(count + 1)
        try await database.commit(RecordBatch(saving: [record]))
        return 1
    }

    private func removeAll(from database: any RecordDatabase) async throws {
        try await database.commit(RecordBatch(deletingAnyVersionOf: Array(contents(of: database).keys)))
    }

    private func contents(of database: any RecordDatabase) async throws -> [Record.ID: Record.Fields] {
        var contents: [Record.ID: Record.Fields] = [:]
        for try await record in database.records(ofType: nil) { contents[record.id] = record.fields }
        return contents
    }
}
