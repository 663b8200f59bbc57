import Foundation

/// Rows of text in columns: the first at the left, the others at the right.
struct TextTable: CustomStringConvertible {
    let header: [String]
    let rows: [[String]]

    var description: String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}

extension Double {
    /// The number with three significant digits.
    var threeDigits: String {
        guard isFinite, self != 0 else { return "\(self)" }
        let places = max(0, 2 - Int(log10(abs(self)).rounded(.down)))
        return String(format: "%.\(places)f", self)
    }

    /// Seconds in a suitable unit.
    var asTime: String {
        switch self {
        case ..<1e-6: "\((self * 1e9).threeDigits) ns"
        case ..<1e-3: "\((self * 1e6).threeDigits) µs"
        case ..<1: "\((self * 1e3).threeDigits) ms"
        default: "\(threeDigits) s"
        }
    }
}
