import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct InMemoryClockTests {
    private final class BackwardClock: Sendable {
        private let time = Locked(1_000.0)

        @Sendable func now() -> Date {
            Date(
                timeIntervalSinceReferenceDate: time.withLock { time in
                    time -= 1
                    return time
                })
        }
    }

    @Test func modificationDateIsNotSetBackByAClockThatIs() async throws {
        let database = InMemoryRecordDatabase(now: BackwardClock().now)
        let record = try Record(id: Record.ID("A/1"))
        let first = try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        let second = try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        let before = try #require(first[record.id])
        let after = try #require(second[record.id])
        #expect(after.creationDate == before.creationDate)
        #expect(after.modificationDate >= before.modificationDate)
    }
}
