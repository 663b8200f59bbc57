/// A piece of work that can be measured, whatever comes of it.
///
/// To free what comes of it is part of no measurement.
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
            // Never freed: the process ends soon, and would count that too.
            _ = Unmanaged.passRetained(Kept(results))
        }
    }

    /// Does it once, and tells how often it asked for memory and how much of it is left.
    ///
    /// What happens the first time only is not counted.
    ///
    /// - Returns: The counts, nil where the platform's allocator cannot be counted.
    public func allocations() throws -> AllocationCount? {
        for _ in 0..<3 { _ = try timeOnce() }
        return try allocationsOnce()
    }

    /// Does it once, and tells how long the processor took.
    public func time() throws -> Duration { try timeOnce() }

    /// Does it so many times.
    func run(rounds: Int) throws { try repeated(rounds) }
}

private final class Kept<Result> {
    let results: ContiguousArray<Result>
    init(_ results: ContiguousArray<Result>) { self.results = results }
}
