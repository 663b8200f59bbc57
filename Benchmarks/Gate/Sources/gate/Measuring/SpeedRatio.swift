import Counting

/// The ratio of JSON's processor time to that of a case, both measured in turn.
struct SpeedRatio {
    private let work: Work
    private let json: Work

    init(_ gateCase: GateCase, _ direction: GateCase.Direction) throws {
        (work, json) = (try gateCase.work(direction), try gateCase.json(direction))
    }

    /// The ratio of the median times, taken in turns of about two milliseconds.
    func measure() throws -> Double {
        let (repeats, otherRepeats) = (try Self.repeats(work), try Self.repeats(json))
        var (times, others) = ([Duration](), [Duration]())
        let start = ContinuousClock.now
        var turns = 0
        while turns < 15 || start.duration(to: .now) < .milliseconds(700) {
            for _ in 0..<repeats { times.append(try work.time()) }
            for _ in 0..<otherRepeats { others.append(try json.time()) }
            turns += 1
        }
        return others.median / times.median
    }

    /// The number of runs in a turn: otherwise small work would find the caches full of the other one's data.
    private static func repeats(_ work: Work) throws -> Int {
        let first = min(try work.time(), try work.time())
        return max(1, min(1_000, Int(Duration.milliseconds(2) / max(first, .nanoseconds(1)))))
    }
}

extension [Duration] {
    /// The median of the times.
    fileprivate var median: Duration { isEmpty ? .zero : sorted()[count / 2] }
}
