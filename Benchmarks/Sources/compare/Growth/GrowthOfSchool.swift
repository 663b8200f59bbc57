import Foundation
import Models
import NestedRecords

/// The growth of the coding time of a school with the number of its records; 1 is linear.
struct GrowthOfSchool {
    private static let counts = [1_000, 10_000, 100_000]
    let isQuick: Bool

    /// The measured work, with limits.
    private static let limits: [(name: String, exponent: Double?)] = [
        ("encode, records", 1.06), ("encode, shape by hand", nil), ("decode, records", 1.1),
        ("decode, shape by hand", nil),
    ]

    func run() async throws -> Section {
        var section = Section(
            "growth", "A school of \(Self.counts.map(String.init).joined(separator: ", ")) records, processor time")
        let schools = try Self.counts.map { try School(records: $0) }
        let contenders = try schools.map(Self.contenders)
        var seconds = contenders.map { $0.map { _ in [Double]() } }
        // The sizes take turns, so that temporary disturbances of the machine affect all of them.
        for cycle in 0..<(isQuick ? 1 : 7) {
            for (size, count) in Self.counts.enumerated() {
                for (position, contender) in contenders[size].enumerated() {
                    // The first run finds the caches full of other data.
                    for round in 0...max(2, 20_000 / count) {
                        let time = try await contender.run(cycle).seconds
                        if round > 0 { seconds[size][position].append(time) }
                    }
                }
            }
        }
        for (position, (name, limit)) in Self.limits.enumerated() {
            let points = zip(Self.counts, seconds).map { (Double($0), $1[position].median) }
            for (count, median) in points {
                section.add("\(name), \(Int(count)) records", median / count * 1e9, "ns a record")
            }
            section.add("\(name): exponent", Self.exponent(points), "", atMost: limit)
        }
        if isQuick { section.notes.append("Left out by --quick: most rounds.") }
        return section
    }

    private static func contenders(_ school: School) throws -> [Contender] {
        let graph = try RecordEncoder().encode(school)
        let byShape = HandWritten<ShapeForm>(school)
        return [
            Contender("encode, records") { try RecordEncoder().encode(school) },
            Contender("encode, shape by hand") { HandWritten<ShapeForm>(school) },
            Contender("decode, records") { try RecordDecoder().decode(School.self, from: graph) },
            Contender("decode, shape by hand") { byShape.school(school.id) },
        ]
    }

    /// The slope of the least-squares line through the logarithms.
    private static func exponent(_ points: [(Double, Double)]) -> Double {
        let logarithms = points.map { (log($0), log($1)) }
        let size = Double(points.count)
        let (meanX, meanY) = logarithms.reduce((0, 0)) { ($0.0 + $1.0 / size, $0.1 + $1.1 / size) }
        let covariance = logarithms.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        let variance = logarithms.reduce(0) { $0 + ($1.0 - meanX) * ($1.0 - meanX) }
        return covariance / variance
    }
}
