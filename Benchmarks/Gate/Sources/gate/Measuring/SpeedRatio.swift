import Counting

/// How many times faster than JSON a case is, both measured in turn.
struct SpeedRatio {
    private let work: Work
    private let json: Work

    init(_ gateCase: GateCase, _ direction: GateCase.Direction) throws {
        (work, json) = (try gateCase.work(direction), try gateCase.json(direction))
    }

    /// The ratio of the median times.
    func measure() throws -> Double {
        var (times, others) = ([Duration](), [Duration]())
        for _ in 0..<3 { _ = (try work.time(), try json.time()) }
        let start = ContinuousClock.now
        while times.count < 15 || start.duration(to: .now) < .milliseconds(700) && times.count < 1_001 {
            times.append(try work.time())
            others.append(try json.time())
        }
        return others.median / times.median
    }
}

extension [Duration] {
    /// The middle of the sorted times.
    fileprivate var median: Duration { isEmpty ? .zero : sorted()[count / 2] }
}
