#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsPostgreSQL

@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(60)))
struct PostgreSQLBatchTests {
    private func record(_ name: String, _ value: Record.Value = 1, type: String = "Book") throws -> Record {
        try Record(id: Record.ID(type: type, name: name), fields: ["a": value])
    }

    @Test func conditionsHoldWhileOthersSave() async throws {
        try await withDatabase { database in
            // Each of two writers takes a free seat unless the other one is taken: never both.
            for round in 0..<40 {
                let left = try record("left \(round)")
                let right = try record("right \(round)")
                let isMissing = round.isMultiple(of: 2)
                if !isMissing { try await database.commit(RecordBatch(saving: [left, right], savePolicy: .overwrite)) }
                let stored = try await database.recordsByID(for: [left.id, right.id])
                let takenCount = Locked(0)
                await withTaskGroup(of: Void.self) { group in
                    for (mine, other) in [(left, right), (right, left)] {
                        group.addTask {
                            var taken = stored[mine.id] ?? mine
                            taken["a"] = 2
                            var batch = RecordBatch(saving: [taken], savePolicy: .overwrite)
                            let version = stored[other.id].map { RecordBatch.Version(of: $0) } ?? .missing
                            batch.conditions = [RecordBatch.VersionedID(other.id, version: version)]
                            do {
                                try await database.commit(batch)
                                takenCount.withLock { $0 += 1 }
                            } catch RecordDatabaseError.Code.versionMismatch {
                                // The other one was faster.
                            } catch {
                                Issue.record(error)
                            }
                        }
                    }
                }
                #expect(takenCount.withLock { $0 } == 1, "round \(round)")
            }
            // What was only asked about has left nothing.
            let rest = try await database.sql("SELECT 1 FROM \(database.tables.records) WHERE xid = '0'")
            #expect(rest.count == 0)
        }
    }

    /// Batches of any order, with or without references and conditions about them.
    @Test(arguments: [false, true]) func batchesInAnyOrderDoNotBlockEachOther(hasReferences: Bool) async throws {
        try await withDatabase { database in
            let names = (0..<40).map(String.init)
            let logged = try await database.deadlockCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        for _ in 0..<5 {
                            var batch = RecordBatch(savePolicy: .overwrite)
                            for name in names.shuffled().prefix(hasReferences ? 10 : 25) {
                                let target = try record(names.randomElement() ?? "0").id
                                if Bool.random() {
                                    let reference = Record.Value.reference(Record.Reference(to: target))
                                    batch.saves.append(try record(name, hasReferences ? reference : 1))
                                } else {
                                    batch.deletions.append(RecordBatch.VersionedID(try record(name).id))
                                }
                            }
                            for deletion in batch.deletions where hasReferences && Bool.random() {
                                batch.allowedReferrers[deletion.id] = Set(try names.map { try record($0).id })
                            }
                            try await database.commit(batch)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.deadlockCount() == logged)
        }
    }

    /// With the isolation level read committed, no statement sees what another transaction has not committed.
    @Test func deletionWaitsForAReferenceThatIsBeingSaved() async throws {
        try await withDatabase { database in
            let target = try record("target")
            try await database.commit(RecordBatch(saving: [target]))
            let holder = try record("holder", .reference(Record.Reference(to: target.id)))
            let catalog = try await database.readCatalog()
            var rows = BatchRows(catalog, writesFields: false)
            let metadata = Record.Metadata(changeTag: "1", creationDate: Date(), modificationDate: Date())
            try rows.add(holder, metadata, expected: .missing)
            let saving =
                database.tables.referenceStatements(of: rows)
                + database.tables.commit(rows, token: 7, isSystem: false, catalog)
            async let saved: Void = {
                _ = try await database.pool.execute(
                    saving + [Statement("wait", "SELECT pg_sleep(0.7)")], isRepeatable: false)
            }()
            try await Task.sleep(for: .milliseconds(250))
            let error = await #expect(throws: RecordDatabaseError.self) { try await database.delete([target.id]) }
            #expect(error?.code == .stillReferenced)
            try await saved
            #expect(try await database.danglingReferences().isEmpty)
        }
    }

    @Test func aHundredTasksShareFourConnections() async throws {
        try await withDatabase { database in
            let counts = Locked<[Int]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        for round in 0..<5 {
                            let saved = try record("\(number)", .int(Int64(round)))
                            try await database.commit(RecordBatch(saving: [saved], savePolicy: .overwrite))
                            let found = try await database.records(for: [saved.id])
                            #expect(found.first?["a"] == .int(Int64(round)))
                        }
                        let count = database.pool.openCount
                        counts.withLock { $0.append(count) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(counts.withLock { $0.max() ?? 0 } <= 4)
            #expect(try await database.count(RecordQuery("Book")) == 100)
        }
    }

    @Test func savesWithAClockThatIsSetBackKeepTheHistory() async throws {
        let time = Locked(Date(timeIntervalSinceReferenceDate: 1_000))
        try await withDatabase {
            $0.now = { time.withLock { $0 } }
            $0.indexes = [FieldIndex("Book", by: .modificationDate)]
        } _: { database in
            let first = try await database.commit(RecordBatch(saving: [try record("a")], savePolicy: .overwrite))
            time.withLock { $0 = Date(timeIntervalSinceReferenceDate: 500) }
            let id = try record("a").id
            let second = try await database.commit(
                RecordBatch(saving: [try record("a", .serverTimestamp)], savePolicy: .overwrite))
            #expect(second[id]?.modificationDate == first[id]?.modificationDate)
            #expect(second[id]?.creationDate == first[id]?.creationDate)
            let date = Date(timeIntervalSinceReferenceDate: 1_000)
            let found = try await database.page(
                RecordQuery("Book", where: .compare(.modificationDate, .equal, .date(date))))
            #expect(found.records.first?["a"] == .date(date) && found.records.first?.metadata == second[id])
        }
    }

    // MARK: Names and values

    @Test func theLongestKeysFitIntoIndexes() async throws {
        let type = "T" + String((0..<254).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a" })
        try await withDatabase {
            $0.indexes = [FieldIndex(type, by: "a"), FieldIndex(type, by: .recordName)]
        } _: { database in
            var random = SplitMix64(seed: 1)
            let values: [Record.Value] = try (0..<8).map { number in
                // Each of these is written as two bytes, which cannot be compressed.
                let text = String((0..<600).map { _ in random.pick(["\u{0}", "\u{1}"] as [Character]) })
                let name = String(
                    (0..<255).map { _ in random.pick(Array("0123456789abcdefghijklmnopqrstuvwxyz/-")) })
                let reference = Record.Value.reference(Record.Reference(to: try Record.ID(type: type, name: name)))
                return number.isMultiple(of: 2)
                    ? .string(text)
                    : random.pick([reference, .list([reference, .string(text)]), .map([text: .string(text)])])
            }
            let records = try values.map { value in
                let name = String((0..<127).map { _ in random.pick(["é", "ü", "ß", "ø"] as [Character]) })
                return try Record(id: Record.ID(type: type, name: name), fields: ["a": value])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            for record in records {
                let value = try #require(record["a"])
                let page = try await database.page(RecordQuery(type, where: .compare("a", .equal, value)))
                #expect(page.records.map(\.id) == [record.id])
            }
        }
    }

    @Test func aTagThatTheServerCannotHaveIsAConflict() async throws {
        try await withDatabase { database in
            for tag in ["", "\u{0}", "a\u{0}b", "'"] {
                var stored = try record("a")
                try await database.commit(RecordBatch(saving: [stored], savePolicy: .overwrite))
                stored.metadata = Record.Metadata(changeTag: tag, creationDate: Date(), modificationDate: Date())
                let refusal = await #expect(throws: RecordDatabaseError.self) {
                    try await database.commit(RecordBatch(saving: [stored]))
                }
                #expect(refusal?.code == .conflict)
                #expect(try await database.records(for: [stored.id]).first?.metadata?.changeTag.isEmpty == false)
            }
        }
    }
}

extension PostgreSQLRecordDatabase {
    fileprivate func deadlockCount() async throws -> Int64 {
        try await sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").integer(0, 0)
            ?? 0
    }
}
#endif
