/// The times of several contenders at one task, measured in turn.
struct Comparison: Sendable {
    let task: String

    /// The median time of each contender in seconds, for ``count`` pieces of work.
    let seconds: [(name: String, median: Double)]

    /// The number of pieces of work, such as records, that a time stands for.
    let count: Int

    /// Runs all contenders in each round, in another order every time, so that what disturbs the machine meets all.
    ///
    /// - Parameters:
    ///   - task: What they do.
    ///   - count: The number of pieces of work in a round.
    ///   - rounds: How often each runs.
    ///   - contenders: Who runs.
    init(_ task: String, count: Int, rounds: Int, _ contenders: [Contender]) async throws {
        var seconds = contenders.map { _ in [Double]() }
        for round in 0..<rounds {
            for turn in contenders.indices {
                let position = (turn + round) % contenders.count
                seconds[position].append(try await contenders[position].run(round).seconds)
            }
        }
        self.task = task
        self.count = count
        self.seconds = zip(contenders, seconds).map { ($0.name, $1.median) }
    }

    /// The time of a contender.
    subscript(name: String) -> Double? { seconds.first { $0.name == name }?.median }

    /// How many times as long as another one a contender takes.
    func ratio(of name: String, to other: String) -> Double? {
        guard let time = self[name], let base = self[other], base > 0 else { return nil }
        return time / base
    }
}
