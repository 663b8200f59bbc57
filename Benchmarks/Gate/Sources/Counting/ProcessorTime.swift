#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The processor time of this process, in all its threads.
public enum ProcessorTime {
    /// The time of a closure.
    ///
    /// - Parameter body: The work. Its result is freed after the measurement.
    public static func of<Result>(_ body: () throws -> Result) rethrows -> Duration {
        let start = now()
        let result = try body()
        let end = now()
        withExtendedLifetime(result) {}
        return max(end - start - ownTime, .zero)
    }

    /// The time of a closure that may wait.
    ///
    /// - Parameter body: The work. Its result is freed after the measurement.
    public static func of<Result: Sendable>(waiting body: @Sendable () async throws -> Result) async rethrows
        -> Duration
    {
        let start = now()
        let result = try await body()
        let end = now()
        withExtendedLifetime(result) {}
        return max(end - start - ownTime, .zero)
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The cost of reading the time, a part of every measurement.
    private static let ownTime: Duration = {
        let times = (0..<1_001).map { _ in
            let start = now()
            return now() - start
        }
        return times.sorted()[500]
    }()
}
