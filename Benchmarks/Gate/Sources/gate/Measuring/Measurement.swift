import Counting
import Foundation

/// Measures all figures.
struct Measurement {
    /// The measured figures.
    private(set) var figures: [Figure] = []

    /// The reasons for missing figures.
    private(set) var obstacles: [String] = []

    mutating func run() throws {
        try takeInstructions()
        for gateCase in GateCase.all {
            for direction in GateCase.Direction.allCases {
                try takeAllocations(gateCase, direction)
                let speed = try SpeedRatio(gateCase, direction).measure()
                figures.append(Figure(kind: .speed, name: gateCase.name(direction), value: speed))
            }
        }
    }

    /// Repeats measurements of ratios that fall short, up to three times, since other programs disturb them.
    mutating func repeatSlowOnes(_ baseline: Baseline) throws {
        for gateCase in GateCase.all {
            for direction in GateCase.Direction.allCases {
                let name = gateCase.name(direction)
                guard let position = figures.firstIndex(where: { $0.kind == .speed && $0.name == name }) else {
                    continue
                }
                let old = baseline[.speed, name]
                for _ in 0..<3 where Verdict(figures[position], baseline: old) == .worse {
                    let ratio = try SpeedRatio(gateCase, direction).measure()
                    let best = max(ratio, figures[position].value ?? 0)
                    figures[position] = Figure(kind: .speed, name: name, value: best)
                }
            }
        }
    }

    private mutating func takeAllocations(_ gateCase: GateCase, _ direction: GateCase.Direction) throws {
        let work = try gateCase.work(direction)
        let counts = try (0..<5).compactMap { _ in try work.allocations() }
        let count = counts.min { $0.calls < $1.calls }
        if count == nil, !obstacles.contains(Self.noCount) { obstacles.append(Self.noCount) }
        let (name, records) = (gateCase.name(direction), Double(gateCase.records))
        let owed = direction == .decode ? gateCase.objects : 0
        figures.append(
            Figure(
                kind: .allocations, name: name, value: count.map { Double($0.calls - owed) / records },
                tolerance: 1.5 / records))
        if direction == .encode, gateCase.isSchool {
            figures.append(Figure(kind: .liveBytes, name: name, value: count.map { Double($0.liveBytes) / records }))
        }
    }

    private static let noCount = "allocations cannot be counted on this platform"

    private mutating func takeInstructions() throws {
        let cases = GateCase.all.flatMap { gateCase in GateCase.Direction.allCases.map { (gateCase, $0) } }
        let jobs =
            cases.map { gateCase, direction in Self.job(gateCase.name(direction), items: gateCase.records) }
            + GrowthCase.all.flatMap { growthCase in
                growthCase.sizes.map { Self.job(growthCase.name(of: $0), items: $0) }
            }
        var counts: [Double]?
        do {
            counts = try InstructionCounter().instructions(of: jobs)
        } catch let error as InstructionError {
            obstacles.append("instructions cannot be counted: \(error)")
        }
        for (index, (gateCase, direction)) in cases.enumerated() {
            let value = counts.map { $0[index] / Double(gateCase.records) }
            figures.append(Figure(kind: .instructions, name: gateCase.name(direction), value: value))
        }
        for (index, growthCase) in GrowthCase.all.enumerated() {
            let small = cases.count + 2 * index
            let value = counts.map { $0[small + 1] / $0[small] / 10 }
            figures.append(Figure(kind: .growth, name: growthCase.name, value: value))
        }
    }

    private static func job(_ work: String, items: Int) -> InstructionCounter.Job {
        // The number of rounds of the short run, in which a single instruction counts.
        let rounds = max(5, min(200, 20_000 / items))
        return InstructionCounter.Job(work: work, rounds: (rounds, rounds * 3))
    }
}

extension GateCase {
    func name(_ direction: Direction) -> String { "\(direction) \(name)" }

    /// The work with a name, which has the case and the direction.
    static func work(named name: String) throws -> Work? {
        for gateCase in all {
            for direction in Direction.allCases where gateCase.name(direction) == name {
                return try gateCase.work(direction)
            }
        }
        return nil
    }

    fileprivate var isSchool: Bool { name.hasPrefix("school") }
}
