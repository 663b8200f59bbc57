import AllocationCounting

/// The allocations of a piece of work.
public struct AllocationCount: Sendable {
    /// The number of allocations.
    public let calls: Int

    /// The bytes that were not freed when it ended, including its result.
    public let liveBytes: Int

    /// Does the work, and counts the allocations of all threads.
    ///
    /// - Parameter body: The work.
    /// - Returns: The counts, nil if the platform's allocator cannot be counted, and the result of the work.
    static func of<Result>(_ body: () throws -> Result) rethrows -> (count: AllocationCount?, result: Result) {
        guard allocation_counting_is_possible() else { return (nil, try body()) }
        allocation_counting_start()
        defer { _ = allocation_counting_stop() }
        let result = try body()
        let counts = allocation_counting_stop()
        return (AllocationCount(calls: counts.calls, liveBytes: counts.live_bytes), result)
    }
}
