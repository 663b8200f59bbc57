import Dispatch
import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Threads for work that waits for the disk, so that those of Swift's tasks stay free.
///
/// Each queue is a serial one: on Linux a concurrent queue runs on the threads that tasks run on.
final class BlockingQueues: Sendable {
    static let shared = BlockingQueues(count: ProcessInfo.processInfo.activeProcessorCount)

    private let queues: [DispatchQueue]
    private let workCounts: Lock<[Int]>

    init(count: Int) {
        queues = (0..<count).map { DispatchQueue(label: "NestedRecords.FileRecordDatabase.read\($0)") }
        workCounts = Lock(Array(repeating: 0, count: count))
    }

    /// Runs the closure in the queue that has the least work.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let number = workCounts.withLock { counts in
            let number = counts.indices.min { counts[$0] < counts[$1] } ?? 0
            counts[number] += 1
            return number
        }
        defer { workCounts.withLock { $0[number] -= 1 } }
        return try await Self.run(in: queues[number], body)
    }

    /// Runs long work in a queue of its own.
    ///
    /// - Parameter body: Gets a closure that throws once the task is cancelled.
    static func alone<Result: Sendable>(
        _ body: @escaping @Sendable (_ checkGoesOn: () throws -> Void) throws -> Result
    ) async throws -> Result {
        let isCancelled = Lock(false)
        return try await withTaskCancellationHandler {
            try await run(in: DispatchQueue(label: "NestedRecords.FileRecordDatabase.long")) {
                try body { if isCancelled.withLock({ $0 }) { throw CancellationError() } }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    private static func run<Result: Sendable>(
        in queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await Promise.result { promise in
            // Released before the caller continues: it may hold the last reference to the database, and open it again.
            let work = Lock<(@Sendable () throws -> Result)?>(body)
            queue.async {
                let result = Swift.Result { try work.take().map { try $0() } }
                promise.resume(with: result.flatMap { $0.map { .success($0) } ?? .failure(CancellationError()) })
            }
        }
    }
}
