import Foundation
import NestedRecordsTesting
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FileDatabaseTests {
    @Test(arguments: RecordDatabaseContract.requirements)
    func contractHolds(_ requirement: RecordDatabaseRequirement) async throws {
        let folder = try TemporaryFolder()
        for (name, threshold) in [("a", nil), ("b", 0.0)] {
            var options = FileRecordDatabase.Options()
            options.compactionThreshold = threshold
            options.maximumDeletionCount = 50
            let open = { @Sendable [options] in try FileRecordDatabase(path: folder.path(name), options: options) }
            try await requirement.check(
                try open(),
                reopening: { database in
                    try await database.close()
                    return try open()
                },
                forgettingDeletions: { database in
                    try await database.crowdOutDeletions()
                    try await database.compact()
                })
            let reader = try FileRecordDatabase(path: folder.path(name), options: .readOnly)
            #expect(try await reader.verify().filter { !$0.isDead }.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func recordsAreThereAfterOpeningAgain(_ closes: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path()
        var expected: [Record.ID: Record] = [:]
        for round in 1...5 {
            let database = try await reopened(path)
            #expect(database.recoveredByteCount == 0)
            #expect(try await database.allRecords == expected)
            let records = try (0..<50).map {
                try Flat.record("Type\($0 % 3)/\($0 % (round * 10))é", ["round": .int(Int64(round))])
            }
            _ = try await database.save(RecordGraph(Set(records)), savePolicy: .overwrite)
            try await database.delete([Record.ID("Type1/\(round)é")], .dangling)
            expected = try await database.allRecords
            if closes { try await database.close() }
        }
        #expect(!expected.isEmpty)
    }

    @Test func eachOfManyExpectedVersionsIsChecked() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        let records = try (0..<200).map { try Flat.record("A/\($0)", ["n": .int(Int64($0))]) }
        try await database.commit(RecordBatch(saving: records))
        var stored = try await database.records(for: records.map(\.id))
        stored.reverse()
        var batch = RecordBatch(saving: [try Flat.record("B/1", [:])])
        batch.conditions = stored.map { RecordBatch.VersionedID($0.id, version: RecordBatch.Version(of: $0)) }
        batch.conditions.append(RecordBatch.VersionedID(try Record.ID("A/200"), version: .missing))
        try await database.commit(batch)
        let changed = try #require(stored.first { $0.id.name == "120" })
        try await database.commit(RecordBatch(saving: [changed]))
        batch.saves = [try Flat.record("B/2", [:])]
        do {
            try await database.commit(batch)
            Issue.record("a condition does not hold")
        } catch let error as RecordDatabaseError {
            #expect(error.code == .versionMismatch && error.recordID == changed.id)
            #expect(error.serverRecord?["n"] == .int(120))
        }
        #expect(try await database.records(for: [Record.ID("B/2")]).isEmpty)
        try await database.close()
    }

    /// Without closing, the file is free as soon as nobody holds the database any more, the writer included.
    private func reopened(_ path: String) async throws -> FileRecordDatabase {
        var database: FileRecordDatabase?
        try await waitUntil {
            do {
                database = try FileRecordDatabase(path: path)
                return true
            } catch RecordDatabaseError.Code.locked {
                return false
            }
        }
        return try #require(database)
    }

    @Test func secondWriterIsLockedOut() async throws {
        let folder = try TemporaryFolder()
        let first = try FileRecordDatabase(path: folder.path())
        let failure = #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: folder.path()) }
        #expect(failure?.code == .locked && failure?.path == folder.path())
        try await first.compact()
        #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: folder.path()) }
        try await first.close()
        _ = try FileRecordDatabase(path: folder.path())
    }

    @Test func readersSeeRecordsSavedSinceTheyWereOpened() async throws {
        let folder = try TemporaryFolder()
        let writer = try FileRecordDatabase(path: folder.path())
        _ = try await writer.save(
            RecordGraph([Flat.record("A/1", ["n": 1])]), savePolicy: .overwrite)
        let reader = try FileRecordDatabase(path: folder.path(), options: .readOnly)
        let id = try Record.ID("A/1")
        _ = try await writer.save(
            RecordGraph([Flat.record("A/1", ["n": 2])]), savePolicy: .overwrite)
        #expect(try await reader.record(for: id)?["n"] == 2)
        try await writer.compact()
        for number in Int64(3)..<6 {
            _ = try await writer.save(
                RecordGraph([Flat.record("A/1", ["n": .int(number)])]), savePolicy: .overwrite)
            _ = try await writer.save(
                RecordGraph([Flat.record("B/\(number)", ["n": .int(number)])]),
                savePolicy: .overwrite)
            let count = Int(number) - 2
            #expect(try await reader.record(for: id)?["n"] == .int(number))
            #expect(try await reader.count(RecordQuery("B")) == count)
            #expect(try await reader.page(RecordQuery("B")).records.count == count)
            #expect(try await reader.records(ofType: "B").reduce(0) { count, _ in count + 1 } == count)
            #expect(try await reader.statistics().recordCount == count + 1)
        }
        // In one transaction that only reads, values are of one moment.
        let counts = try await reader.transaction { transaction in
            let first = try await transaction.record(for: id)?["n"]
            return [first, try await transaction.record(for: Record.ID("B/3"))?["n"]]
        }
        #expect(counts == [5, 3])
        let failure = await #expect(throws: RecordDatabaseError.self) { try await reader.delete([id]) }
        #expect(failure?.code == .readOnly)
        #expect(try folder.names == ["test.records"])
    }

    @Test func readerMakesNoFile() throws {
        let folder = try TemporaryFolder()
        #expect(throws: RecordDatabaseError.self) {
            try FileRecordDatabase(path: folder.path(), options: .readOnly)
        }
        #expect(try folder.names == [])
    }

    @Test func closedDatabaseRefusesEverything() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try await database.close()
        try await database.close()
        for call in [
            { try await database.compact() }, { _ = try await database.statistics() },
            { _ = try await database.verify() },
        ] as [() async throws -> Void] {
            let failure = await #expect(throws: RecordDatabaseError.self) { try await call() }
            #expect(failure?.code == .closed)
        }
    }

    @Test func compactionGivesBackWhatIsDead() async throws {
        let folder = try TemporaryFolder()
        var options = FileRecordDatabase.Options()
        options.compactionThreshold = nil
        let database = try FileRecordDatabase(path: folder.path(), options: options)
        let records = try (0..<500).map {
            try Flat.record("A/\($0)", ["text": .string(String(repeating: "x", count: $0))])
        }
        for _ in 1...4 {
            _ = try await database.save(RecordGraph(records), savePolicy: .overwrite)
        }
        let before = try await database.allRecords
        let statistics = try await database.statistics()
        #expect(statistics.recordCount == 500 && statistics.deadByteCount > 2 * statistics.liveByteCount)
        let reclaimed = try await database.compact()
        let after = try await database.statistics()
        #expect(reclaimed == statistics.fileSize - after.fileSize)
        #expect(after.liveByteCount == statistics.liveByteCount && after.compactionCount == 1)
        #expect(try await database.allRecords == before)
        #expect(try await database.verify() == [])
        _ = try await database.save(
            RecordGraph([Flat.record("A/1", ["n": 1])]), savePolicy: .overwrite)
        try await database.close()
        let again = try FileRecordDatabase(path: folder.path())
        #expect(try await again.allRecords.count == 500)
        #expect(try await again.record(for: Record.ID("A/1"))?["n"] == 1)
    }

    @Test func deadFileIsCompactedWithoutBeingAsked() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        let text = Record.Value.string(String(repeating: "x", count: 100_000))
        for number in 1...100 {
            _ = try await database.save(
                RecordGraph([Flat.record("A/1", ["text": text, "n": .int(Int64(number))])]),
                savePolicy: .overwrite)
            await database.compactionHasEnded()
        }
        let statistics = try await database.statistics()
        #expect(statistics.compactionCount > 3 && statistics.fileSize < 2_000_000)
        #expect(try await database.record(for: Record.ID("A/1"))?["n"] == 100)
    }

    @Test func manyTasksSaveAndReadAtTheSameTime() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<32 {
                group.addTask {
                    for number in 0..<20 {
                        let record = try Flat.record("T\(task)/\(number)", ["n": .int(Int64(number))])
                        try await database.commit(RecordBatch(saving: [record]))
                        #expect(try await database.record(for: record.id)?["n"] == .int(Int64(number)))
                    }
                }
            }
            group.addTask {
                for _ in 1...5 { try await database.compact() }
            }
            try await group.waitForAll()
        }
        #expect(try await database.allRecords.count == 640)
        #expect(try await database.verify() == [])
    }
}
