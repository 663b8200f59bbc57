#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsPostgreSQL

@Suite(.enabled(if: TestServer.isThere, TestServer.reason), .timeLimit(.minutes(3)))
struct PostgreSQLBatchTests {
    private func record(_ name: String, _ value: Record.Value = 1, type: String = "Book") throws -> Record {
        try Record(id: Record.ID(type: type, name: name), fields: ["a": value])
    }

    /// Random batches against the same batches in memory, step by step.
    @Test(arguments: [true, false])
    func appliesAndRefusesBatchesAsMemoryDoes(hasIndexes: Bool) async throws {
        try await withDatabase {
            if hasIndexes {
                $0.indexes = ["a", .creationDate, .modificationDate].map { FieldIndex("Book", by: $0) }
            }
        } _: { database in
            let memory = InMemoryRecordDatabase()
            var random = SplitMix64(seed: 7)
            // For each record a version of each database, which may be an older one.
            var known: [Record.ID: (here: Record, there: Record)] = [:]
            var (token, otherToken) = (try await database.changeToken(), try await memory.changeToken())
            let ids = try (0..<6).map { try Record.ID(type: "Book", name: "\($0)") }
            var refusals = 0
            for step in 0..<400 {
                var (batch, other) = (RecordBatch(), RecordBatch())
                batch.savePolicy = random.pick(SavePolicy.allCases)
                other.savePolicy = batch.savePolicy
                for id in ids where random.chance(oneIn: 3) {
                    let versions = known[id]
                    let isVersioned = random.chance(oneIn: 2)
                    func version(_ record: Record?) -> RecordBatch.Version {
                        isVersioned ? record.map { RecordBatch.Version(of: $0) } ?? .missing : .any
                    }
                    switch random.pick([0, 0, 1, 2, 3]) {
                    case 0:
                        var record = try Record(id: id, fields: ["a": random.pick([1, 2, .serverTimestamp])])
                        if isVersioned { record.metadata = versions?.here.metadata }
                        batch.saves.append(record)
                        if isVersioned { record.metadata = versions?.there.metadata }
                        other.saves.append(record)
                    case 1:
                        batch.deletions.append(RecordBatch.VersionedID(id, version: version(versions?.here)))
                        other.deletions.append(RecordBatch.VersionedID(id, version: version(versions?.there)))
                    case 2:
                        batch.conditions.append(RecordBatch.VersionedID(id, version: .missing))
                        other.conditions.append(RecordBatch.VersionedID(id, version: .missing))
                    default:
                        batch.conditions.append(RecordBatch.VersionedID(id, version: version(versions?.here)))
                        other.conditions.append(RecordBatch.VersionedID(id, version: version(versions?.there)))
                    }
                }
                var (code, otherCode): (RecordDatabaseError.Code?, RecordDatabaseError.Code?) = (nil, nil)
                var (named, otherNamed): (Record.ID?, Record.ID?) = (nil, nil)
                do {
                    try await database.commit(batch)
                } catch let refusal as RecordDatabaseError {
                    (code, named) = (refusal.code, refusal.recordID)
                    #expect(refusal.serverRecord?.fields["a"] != .serverTimestamp)
                }
                do {
                    try await memory.commit(other)
                } catch let refusal as RecordDatabaseError {
                    (otherCode, otherNamed) = (refusal.code, refusal.recordID)
                    refusals += 1
                }
                try #require(code == otherCode && named == otherNamed, "step \(step): \(batch)")
                let (all, others) = (try await database.allRecords(), try await memory.allRecords())
                try #require(all.map(\.id) == others.map(\.id), "step \(step): \(batch)")
                for (record, other) in zip(all, others) {
                    // The clocks are read one after the other.
                    if case .date? = record["a"] {
                        #expect(record["a"] == record.metadata.map { .date($0.modificationDate) })
                    } else {
                        #expect(record.fields == other.fields)
                    }
                    if random.chance(oneIn: 3) { known[record.id] = (record, other) }
                }
                guard random.chance(oneIn: 4) else { continue }
                var (changed, otherChanged) = (Set<Record.ID>(), Set<Record.ID>())
                var (deleted, otherDeleted) = (Set<Record.ID>(), Set<Record.ID>())
                // Others of the server may be writing, so that what was just saved comes a little later.
                try await waitUntil {
                    let changes = try await database.changes(since: token, limit: 1_000)
                    token = changes.token
                    changed.formUnion(changes.saved.map(\.id))
                    deleted.formUnion(changes.deleted)
                    return try await database.isUpToDate(token)
                }
                let changes = try await memory.changes(since: otherToken, limit: 1_000)
                otherToken = changes.token
                otherChanged.formUnion(changes.saved.map(\.id))
                otherDeleted.formUnion(changes.deleted)
                let present = Set(all.map(\.id))
                #expect(changed.intersection(present) == otherChanged)
                #expect(deleted.subtracting(present) == otherDeleted)
            }
            #expect(refusals > 50)
            // What was only asked about has left nothing.
            let rest = try await database.sql("SELECT 1 FROM \(database.tables.records) WHERE xid = '0'")
            #expect(rest.count == 0)
        }
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
        }
    }

    @Test func batchesInAnyOrderDoNotBlockEachOther() async throws {
        try await withDatabase { database in
            let names = (0..<40).map(String.init)
            let logged = try await database.deadlockCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        for _ in 0..<5 {
                            var batch = RecordBatch(savePolicy: .overwrite)
                            for name in names.shuffled().prefix(25) {
                                if Bool.random() {
                                    batch.saves.append(try record(name))
                                } else {
                                    batch.deletions.append(RecordBatch.VersionedID(try record(name).id))
                                }
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
            let saving = database.tables.referenceStatements(of: rows) + database.tables.commit(rows, token: 7, catalog)
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

    @Test func referencesAndConditionsAboutThemDoNotBlockEachOther() async throws {
        try await withDatabase { database in
            let names = (0..<40).map(String.init)
            let logged = try await database.deadlockCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        for _ in 0..<5 {
                            var batch = RecordBatch(savePolicy: .overwrite)
                            for name in names.shuffled().prefix(10) {
                                if Bool.random() {
                                    let target = try record(names.randomElement() ?? "0").id
                                    batch.saves.append(try record(name, .reference(Record.Reference(to: target))))
                                } else {
                                    batch.deletions.append(RecordBatch.VersionedID(try record(name).id))
                                }
                            }
                            for deletion in batch.deletions where Bool.random() {
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

    @Test func transactionsKeepTheSum() async throws {
        try await withDatabase { database in
            for name in ["a", "b", "c"] {
                try await database.commit(RecordBatch(saving: [try record(name, 100)], savePolicy: .overwrite))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let ids = try ["a", "b", "c"].shuffled().prefix(2).map { try record($0).id }
                        while true {
                            let found = try await database.recordsByID(for: ids)
                            guard var from = found[ids[0]], var to = found[ids[1]],
                                case .int(let left)? = from["a"], case .int(let right)? = to["a"]
                            else { return }
                            from["a"] = .int(left - Int64(number))
                            to["a"] = .int(right + Int64(number))
                            do {
                                try await database.commit(RecordBatch(saving: [from, to]))
                                return
                            } catch RecordDatabaseError.Code.conflict {
                                continue
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await database.allRecords().reduce(Int64(0)) { sum, record in
                if case .int(let value)? = record["a"] { sum + value } else { sum }
            }
            #expect(sum == 300)
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
            #expect(found.records.first?["a"] == .date(date))
            #expect(found.records.first?.metadata == second[id])
        }
    }

    // MARK: Names and values

    @Test func keepsWhatIsHardToWriteDown() async throws {
        try await withDatabase {
            $0.indexes = [FieldIndex("A", by: "value"), FieldIndex("School", by: .recordName)]
        } _: { database in
            var random = RandomRecord(seed: 3)
            var records: [Record.ID: Record] = [:]
            for record in try SampleRecords.all() + (0..<400).map({ _ in try random.record() }) {
                var record = record
                record.metadata = nil
                records[record.id] = record
            }
            let saved = try await database.commit(RecordBatch(saving: Array(records.values), savePolicy: .overwrite))
            let found = try await database.recordsByID(for: Array(records.keys))
            #expect(found.count == records.count)
            for (id, record) in records {
                let expected = record.saved(as: try #require(saved[id]))
                #expect(found[id].map { $0.isIdentical(to: expected) } == true, "\(id)")
            }
        }
    }

    @Test func namesThatLookLikeStatementsAreNames() async throws {
        let names = [
            "'; DROP TABLE records; --", "\"", "\\", "{a,b}", "{\"", "NULL", "null", "%", "$1", "a/b/c", " ", "é",
            "e\u{301}", "\u{10FFFF}", "\u{FEFF}", String(repeating: "é", count: 127), "💧",
        ]
        try await withDatabase {
            $0.schema = "\"; DROP TABLE x; é' " + UUID().uuidString.prefix(20)
        } _: { database in
            let records = try names.map { name in
                try Record(
                    id: Record.ID(type: "Book", name: name),
                    fields: [
                        "r": .reference(Record.Reference(to: Record.ID(type: "Book", name: name))),
                        "t": .string(name),
                    ])
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            for record in records {
                #expect(try await database.records(for: [record.id]).first?.fields == record.fields)
                #expect(try await database.referrers(of: [record.id])[record.id]?.map(\.record) == [record.id])
            }
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let listed = try await database.allRecords().map { Array($0.id.name.utf8) }
            #expect(listed == sorted.map { Array($0.utf8) })
            try await database.commit(RecordBatch(deletingAnyVersionOf: records.map(\.id)))
            #expect(try await database.allRecords().isEmpty)
        }
    }

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

    /// Whether nothing has been saved after a token.
    fileprivate func isUpToDate(_ token: ChangeToken) async throws -> Bool {
        let rows = try await sql("SELECT 1 FROM \(tables.records) WHERE xid > $1", .transaction(token.position))
        return rows.count == 0
    }
}
#endif
