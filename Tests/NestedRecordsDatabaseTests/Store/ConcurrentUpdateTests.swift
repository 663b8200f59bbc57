import TestSupport
import Testing

@testable import NestedRecords

@Suite struct ConcurrentUpdateTests {
    /// How many of so many increments at the same time succeed; each that does not must end with a conflict.
    func increment(
        _ database: some RecordDatabase, times: Int, maximumAttempts: Int
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<times {
                group.addTask {
                    do {
                        let id = try Record.ID("Pupil/ann")
                        _ = try await database.values.update(
                            Pupil.self, from: id, maximumAttempts: maximumAttempts
                        ) { $0.age += 1 }
                        return 1
                    } catch RecordDatabaseError.Code.conflict {
                        return 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }

    @Test func manyIncrementsAtOnceAllCount() async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann", age: 0))
        #expect(try await increment(memory, times: 1_000, maximumAttempts: 100) == 1_000)
        #expect(try await memory.fetch("Pupil/ann")["age"] == 1_000)
    }

    @Test(arguments: [1, 2, 5]) func asManyIncrementsCountAsSucceed(maximumAttempts: Int) async throws {
        let (memory, _) = try await InMemoryRecordDatabase.holding(Pupil(id: "ann", age: 0))
        let allHaveRead = Gate()
        // Nobody saves before everybody has read.
        let database = CountingDatabase(memory) { number in
            if number == 40 { allHaveRead.open() }
            await allHaveRead.wait()
        }
        let succeeded = try await increment(database, times: 40, maximumAttempts: maximumAttempts)
        #expect(maximumAttempts == 1 ? succeeded == 1 : succeeded >= 1)
        #expect(try await memory.fetch("Pupil/ann")["age"] == .int(Int64(succeeded)))
    }
}
