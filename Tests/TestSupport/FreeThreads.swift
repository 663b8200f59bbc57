import Foundation

/// How many calls ``tasksRun(until:isHeld:during:)`` makes: twice as many as Swift's pool has threads.
package let heldCallCount = 2 * ProcessInfo.processInfo.activeProcessorCount

/// Makes calls that cannot go on until they are released, and returns whether other tasks ran then.
///
/// - Parameters:
///   - release: Lets the calls go on; called in a thread of its own.
///   - isHeld: Whether the calls cannot go on now.
///   - call: Made by a task for each number.
package func tasksRun(
    until release: @escaping @Sendable () -> Void, isHeld: @escaping @Sendable () -> Bool = { true },
    during call: @escaping @Sendable (Int) async throws -> Void
) async throws -> Bool {
    let begunCount = Locked(0)
    let stepCount = Locked(0)
    let hasRun = Locked(false)
    Thread.detachNewThread {
        // Where no task runs, nothing but a thread of its own can end that.
        let end = ContinuousClock.now + Overdue.limit
        while stepCount.withLock({ $0 }) < 100, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.001) }
        hasRun.withLock { $0 = stepCount.withLock { $0 } >= 100 }
        release()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<heldCallCount {
            group.addTask {
                begunCount.withLock { $0 += 1 }
                try await call(number)
            }
        }
        group.addTask {
            for _ in 0..<100 {
                await Task.yield()
                while begunCount.withLock({ $0 }) < heldCallCount || !isHeld() { await Task.yield() }
                stepCount.withLock { $0 += 1 }
            }
        }
        try await group.waitForAll()
    }
    return hasRun.withLock { $0 }
}
