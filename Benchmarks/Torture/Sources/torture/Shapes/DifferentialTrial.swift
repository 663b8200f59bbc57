@testable import NestedRecords
@testable import TestSupport

/// Takes values of types of every shape through records and through JSON: both must give the same values.
enum DifferentialTrial {
    /// - Parameter losesFields: Whether records lose a field on one of their ways.
    static func run(seed: UInt64, _ counts: inout Counts, losesFields: Bool = false) async throws {
        let paths: [DifferentialPath] =
            losesFields ? [loss] : [.graph, .binary, .lines, .typedJSON, .memory, try .file()]
        let tally = await Differential.run(seed: seed, paths: paths)
        if let difference = tally.unexplained.first { throw Loss(description: "\(difference)") }
        counts["comparisons", default: 0] += tally.count
        counts["values that JSON refuses", default: 0] += tally.betterCount
        counts["values that both refuse", default: 0] += tally.refusedByBothCount
    }

    private static let loss = DifferentialPath.form("loss") { graph in
        let records = try graph.map { try Record(id: $0.id, fields: Record.Fields($0.fields.dropLast())) }
        return try RecordGraph(records, roots: graph.roots)
    }
}
