import Foundation

/// All measurements, and the machine.
struct Report: Encodable {
    let machine: Machine
    let isQuick: Bool
    var sections: [Section] = []

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path))
    }

    /// Every target with its figure; empty without targets.
    var targets: String {
        let rows = sections.flatMap { section in
            section.comparisons.flatMap { comparison in
                comparison.targets.compactMap { target in
                    Self.row(
                        "\(section.name), \(comparison.task): \(target.title)", comparison.ratio(target), target.limit)
                }
            } + section.figures.compactMap { Self.row("\(section.name), \($0.name)", $0.value, $0.limit) }
        }
        guard !rows.isEmpty else { return "" }
        let missed = rows.count { $0[3] == "MISSED" }
        return "\nTargets: \(rows.count - missed) met, \(missed) missed\n"
            + TextTable(header: ["what", "target", "figure", ""], rows: rows).description
    }

    private static func row(_ name: String, _ value: Double?, _ limit: Limit?) -> [String]? {
        guard let value, let limit else { return nil }
        return [name, "\(limit)", value.threeDigits, limit.isMet(by: value) ? "met" : "MISSED"]
    }
}
