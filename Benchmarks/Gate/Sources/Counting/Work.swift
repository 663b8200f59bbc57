/// A piece of work that can be measured, with any result.
///
/// Freeing the result is not part of a measurement.
public struct Work {
    private let allocationsOnce: () throws -> AllocationCount?
    private let timeOnce: () throws -> Duration
    private let repeated: (_ rounds: Int) throws -> Void

    /// Makes work of a closure.
    public init<Result>(_ body: @escaping () throws -> Result) {
        allocationsOnce = { try AllocationCount.of(body).count }
        timeOnce = { try ProcessorTime.of(body) }
        repeated = { rounds in
            var results = ContiguousArray<Result>()
            results.reserveCapacity(rounds)
            for _ in 0..<rounds { results.append(try body()) }
            // The result is never freed: the process ends soon, and freeing it would count too.
            _ = Unmanaged.passRetained(Kept(results))
        }
    }

    /// Does the work once, and counts its allocations and the bytes that are left.
    ///
    /// One-time costs of the first run are not counted.
    ///
    /// - Returns: The counts; nil if the platform's allocator cannot be counted.
    public func allocations() throws -> AllocationCount? {
        for _ in 0..<3 { _ = try timeOnce() }
        return try allocationsOnce()
    }

    /// Does the work once, and returns its processor time.
    public func time() throws -> Duration { try timeOnce() }

    /// Does the work this many times.
    func run(rounds: Int) throws { try repeated(rounds) }
}

private final class Kept<Result> {
    let results: ContiguousArray<Result>
    init(_ results: ContiguousArray<Result>) { self.results = results }
}
