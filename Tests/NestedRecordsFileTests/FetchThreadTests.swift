import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsFile

/// Where a fetch reads the file: a large one must not keep other tasks from running.
@Suite struct FetchThreadTests {
    /// Counts the reads of a fetch that hold the thread of a task, and those that hold none.
    private func reads(
        of records: [Record]
    ) async throws -> (inTask: Int, elsewhere: Int) {
        let disk = SimulatedDisk()
        let database = try disk.open()
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let counts = Locked((inTask: 0, elsewhere: 0))
        disk.plan { operation, _ in
            guard operation == .read else { return nil }
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            counts.withLock { if isInTask { $0.inTask += 1 } else { $0.elsewhere += 1 } }
            return nil
        }
        let found = try await database.records(for: records.map(\.id))
        #expect(found.map(\.id) == records.map(\.id) && found.map(\.fields) == records.map(\.fields))
        return counts.withLock { $0 }
    }

    @Test(arguments: [1, 2, 32]) func smallFetchReadsInTheTask(_ count: Int) async throws {
        let reads = try await reads(of: (0..<count).map { try Flat.record("A/\($0)", ["n": .int(Int64($0))]) })
        #expect(reads.inTask == 1 && reads.elsewhere == 0)
    }

    @Test(arguments: [33, 1_000]) func fetchOfManyRecordsLeavesTheTasksThreadFree(_ count: Int) async throws {
        let reads = try await reads(of: (0..<count).map { try Flat.record("A/\($0)", ["n": .int(Int64($0))]) })
        #expect(reads.inTask == 0 && reads.elsewhere == 1)
    }

    @Test(arguments: [(1, 70_000), (20, 4_000), (1, 17 << 20)])
    func fetchOfManyBytesLeavesTheTasksThreadFree(_ count: Int, _ bytes: Int) async throws {
        let text = Record.Value.string(String(repeating: "x", count: bytes))
        let reads = try await reads(of: (0..<count).map { try Flat.record("A/\($0)", ["text": text]) })
        #expect(reads.inTask == 0 && reads.elsewhere >= 1)
    }

    @Test func manyLargeFetchesAtOnceAllReturn() async throws {
        let folder = try TemporaryFolder()
        let database = try FileRecordDatabase(path: folder.path())
        let records = try (0..<100).map { try Flat.record("A/\($0)", ["n": .int(Int64($0))]) }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let ids = records.map(\.id)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await database.records(for: ids).count } }
            for try await count in group { #expect(count == 100) }
        }
        try await database.close()
        await #expect(throws: RecordDatabaseError.self) { try await database.records(for: ids) }
    }
}
