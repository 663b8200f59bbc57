import Counting

/// A participant of a comparison.
struct Contender {
    let name: String

    /// Does the work of a round, which counts from 0, and returns its duration.
    ///
    /// Preparations are not part of this time.
    let run: (_ round: Int) async throws -> Duration
}

extension Contender {
    /// Does the same in each round, measured in processor time.
    init<Result>(_ name: String, _ work: @escaping () throws -> Result) {
        self.init(name: name) { _ in try ProcessorTime.of(work) }
    }

    /// Does the same in each round and may wait, measured in processor time.
    init<Result: Sendable>(waiting name: String, _ work: @escaping @Sendable () async throws -> Result) {
        self.init(name: name) { _ in try await ProcessorTime.of(waiting: work) }
    }
}

/// The duration of a closure.
func time<Result>(_ body: () async throws -> Result) async rethrows -> Duration {
    let start = ContinuousClock.now
    _ = try await body()
    return start.duration(to: .now)
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

extension [Double] {
    /// The median of the numbers; 0 for an empty list.
    var median: Double {
        let sorted = sorted()
        guard let last = sorted.last else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : Swift.min(sorted[middle], last)
    }
}
