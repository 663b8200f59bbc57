import Foundation

/// The figures and those of the baseline.
struct GateReport {
    let figures: [Figure]
    let baseline: Baseline

    /// The failures, each in a line.
    ///
    /// - Parameter mustBeComplete: Whether a missing figure is a failure.
    func failures(mustBeComplete: Bool) -> [String] {
        figures.compactMap { figure in
            let name = "\(figure.name), \(figure.kind.rawValue)"
            return switch verdict(figure) {
            case .good: nil
            case .worse:
                "\(name): \(text(old(figure), figure.kind)) before, \(text(figure.value, figure.kind)) now"
                    + " (\(change(figure)))"
            case .notMeasured: mustBeComplete ? "\(name): not measured" : nil
            case .notInBaseline: "\(name): not in the baseline"
            }
        } + baseline.names(missingIn: figures).map { "\($0): only in the baseline" }
    }

    private func verdict(_ figure: Figure) -> Verdict { Verdict(figure, baseline: old(figure)) }

    private func old(_ figure: Figure) -> Double? { baseline[figure.kind, figure.name] }

    private func text(_ value: Double?, _ kind: Figure.Kind) -> String {
        value.map { String(format: "%.\(Int(log10(kind.precision)))f", $0) } ?? "–"
    }

    private func change(_ figure: Figure) -> String {
        guard let old = old(figure), let value = figure.value, old != 0 else { return "" }
        return String(format: "%+.1f %%", (value.rounded(for: figure.kind) / old - 1) * 100)
    }
}

extension GateReport: CustomStringConvertible {
    /// A table for a terminal, by kind.
    var description: String {
        let rows = Figure.Kind.allCases.flatMap { kind in
            [[kind.rawValue, "", "", "", ""]]
                + figures.filter { $0.kind == kind }.map { figure in
                    [
                        "  " + figure.name, text(old(figure), kind), text(figure.value, kind), change(figure),
                        verdict(figure).text,
                    ]
                }
        }
        let all = [["figure", "baseline", "now", "change", "verdict"]] + rows
        let widths = (0..<5).map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
