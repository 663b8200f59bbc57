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
        try Task.checkCancellation()
        let number = fetchCounts.withLock { counts in
            let number = counts.indices.min { counts[$0] < counts[$1] } ?? 0
            counts[number] += 1
            return number
        }
        defer { fetchCounts.withLock { $0[number] -= 1 } }
        return try await Promise.result { promise in
            // Released before the caller continues: it may hold the last reference to the database, and open it again.
            let work = Lock<(@Sendable () throws -> Result)?>(body)
            queues[number].async {
                let result = Swift.Result { try work.take().map { try $0() } }
                promise.resume(with: result.flatMap { $0.map { .success($0) } ?? .failure(CancellationError()) })
            }
        }
    }
}
