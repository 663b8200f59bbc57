import NestedRecords
import Testing

@Suite struct BlockingQueueTests {
    /// An array that another thread still holds is copied when it is changed.
    @Test func resultBelongsToTheCallerAlone() async throws {
        let queue = BlockingQueue(label: "result")
        var sharedCount = 0
        for _ in 0..<2_000 {
            var object = try await queue.run { Object() }
            if !isKnownUniquelyReferenced(&object) { sharedCount += 1 }
        }
        #expect(sharedCount == 0)
    }
}

private final class Object: Sendable {}
