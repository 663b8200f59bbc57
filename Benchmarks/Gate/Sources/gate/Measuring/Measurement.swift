import Counting
import Foundation

/// Takes all figures.
struct Measurement {
    /// The figures taken.
    private(set) var figures: [Figure] = []

    /// Why some figures could not be taken.
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

    /// Measures ratios of times again that fall short, up to three times: other programs disturb them.
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
        do {
            let counter = try InstructionCounter()
            let jobs = GateCase.all.flatMap { gateCase in GateCase.Direction.allCases.map { (gateCase, $0) } }
            let counts = try counter.instructions(
                of: jobs.map { gateCase, direction in
                    InstructionCounter.Job(
                        work: gateCase.name(direction), rounds: (gateCase.rounds, gateCase.rounds * 3))
                })
            for (job, count) in zip(jobs, counts) {
                let value = count / Double(job.0.records)
                figures.append(Figure(kind: .instructions, name: job.0.name(job.1), value: value))
            }
        } catch let error as InstructionError {
            obstacles.append("instructions cannot be counted: \(error)")
            figures += GateCase.all.flatMap { gateCase in
                GateCase.Direction.allCases.map {
                    Figure(kind: .instructions, name: gateCase.name($0), value: nil)
                }
            }
        }
    }
}

extension GateCase {
    func name(_ direction: Direction) -> String { "\(direction) \(name)" }

    /// The work of the case and direction with a name.
    static func work(named name: String) throws -> Work? {
        for gateCase in all {
            for direction in Direction.allCases where gateCase.name(direction) == name {
                return try gateCase.work(direction)
            }
        }
        return nil
    }

    fileprivate var isSchool: Bool { name.hasPrefix("school") }

    /// Of how many rounds the short run consists, in which an instruction counts that happens once.
    fileprivate var rounds: Int { max(5, min(200, 20_000 / records)) }
}
