/// The times of several contenders at one task, measured in turn.
struct Comparison: Sendable {
    let task: String

    /// The number of pieces of work in a round, such as records.
    let count: Int

    /// The median time of each contender for a round, in seconds.
    let seconds: [(name: String, median: Double)]

    let targets: [Target]

    /// Runs all contenders in each round, in a new order every time, so that disturbances of the machine affect all.
    ///
    /// - Parameters:
    ///   - task: The name of the task.
    ///   - count: The number of pieces of work in a round.
    ///   - rounds: The maximum number of rounds.
    ///   - budget: The time after which no further round begins.
    ///   - fewest: The minimum number of rounds.
    ///   - turn: The approximate length of a contender's turn in a round, in which it repeats its work; nil
    ///     for once. Otherwise short work would find the caches full of the data of the others.
    ///   - targets: The ratios to show, with their limits.
    ///   - contenders: The participants.
    init(
        _ task: String, count: Int, rounds: Int, within budget: Duration? = nil, atLeast fewest: Int = 1,
        turn: Duration? = nil, targets: [Target], _ contenders: [Contender]
    ) async throws {
        var seconds = contenders.map { _ in [Double]() }
        let start = ContinuousClock.now
        var repeats = contenders.map { _ in 1 }
        if let turn {
            for (position, contender) in contenders.enumerated() {
                // If the work is short, the first run takes many times as long.
                var shortest = try await contender.run(0).seconds
                for _ in 0..<20 where shortest < turn.seconds {
                    shortest = min(shortest, try await contender.run(0).seconds)
                }
                repeats[position] = max(1, min(1_000, Int(turn.seconds / max(shortest, 1e-9))))
            }
        }
        for round in 0..<rounds {
            if let budget, round >= fewest, start.duration(to: .now) > budget { break }
            for turn in contenders.indices {
                let position = (turn + round) % contenders.count
                for _ in 0..<repeats[position] {
                    seconds[position].append(try await contenders[position].run(round).seconds)
                }
            }
        }
        self.init(
            task, count: count, seconds: zip(contenders, seconds).map { ($0.name, $1.median) }, targets: targets)
    }

    /// Makes a comparison of times that were measured elsewhere.
    init(_ task: String, count: Int, seconds: [(name: String, median: Double)], targets: [Target]) {
        self.task = task
        self.count = count
        self.seconds = seconds
        self.targets = targets
    }

    /// The time of a contender.
    subscript(name: String) -> Double? { seconds.first { $0.name == name }?.median }

    /// The ratio of a contender's time to that of another contender.
    func ratio(_ target: Target) -> Double? {
        guard let time = self[target.name], let base = self[target.other], base > 0 else { return nil }
        return time / base
    }
}

extension Comparison: Encodable {
    private enum CodingKeys: CodingKey { case task, count, seconds, ratios, limits }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(task, forKey: .task)
        try container.encode(count, forKey: .count)
        try container.encode(Dictionary(seconds, uniquingKeysWith: { $1 }), forKey: .seconds)
        let ratios = targets.compactMap { target in ratio(target).map { (target.title, $0) } }
        try container.encode(Dictionary(ratios, uniquingKeysWith: { $1 }), forKey: .ratios)
        let limits = targets.compactMap { target in target.limit.map { (target.title, $0) } }
        try container.encode(Dictionary(limits, uniquingKeysWith: { $1 }), forKey: .limits)
    }
}
