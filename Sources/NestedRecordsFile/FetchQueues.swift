import Dispatch
import NestedRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Threads for large fetches, as many as there are processors, so that they leave those of Swift's tasks free.
///
/// Each queue is a serial one: on Linux a concurrent queue runs on the threads that tasks run on.
final class FetchQueues: Sendable {
    /// Those of all databases.
    static let shared = FetchQueues(count: ProcessInfo.processInfo.activeProcessorCount)

    private let queues: [DispatchQueue]

    /// How many fetches each queue has.
    private let fetchCounts: Lock<[Int]>

    init(count: Int) {
        queues = (0..<count).map { DispatchQueue(label: "NestedRecords.FileRecordDatabase.fetch\($0)") }
        fetchCounts = Lock(Array(repeating: 0, count: count))
    }

    /// Runs the closure in the queue that has the fewest fetches.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let number = fetchCounts.withLock { counts in
            let number = counts.indices.min { counts[$0] < counts[$1] } ?? 0
            counts[number] += 1
            return number
        }
        defer { fetchCounts.withLock { $0[number] -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            queues[number].async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
