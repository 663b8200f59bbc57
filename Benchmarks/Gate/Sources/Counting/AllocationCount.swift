import AllocationCounting

/// What a piece of work took from the allocator.
public struct AllocationCount: Sendable {
    /// How often it asked for memory.
    public let calls: Int

    /// The bytes that it had not given back when it ended, its result among them.
    public let liveBytes: Int

    /// Does the work and counts in all threads meanwhile.
    ///
    /// - Parameter body: The work.
    /// - Returns: The counts, nil where the platform's allocator cannot be counted, and what came of the work.
    static func of<Result>(_ body: () throws -> Result) rethrows -> (count: AllocationCount?, result: Result) {
        guard allocation_counting_is_possible() else { return (nil, try body()) }
        allocation_counting_start()
        defer { _ = allocation_counting_stop() }
        let result = try body()
        let counts = allocation_counting_stop()
        return (AllocationCount(calls: counts.calls, liveBytes: counts.live_bytes), result)
    }
}
