/// The places of the labels of lines: in the gaps between rows, where they meet neither boxes nor each other.
///
/// A gap has levels at its upper side and at its lower side, one for each line of text. A label takes the first levels
/// with room near the box that owns its line. A label without room is left out.
struct SVGLabels {
    /// The maximum number of lines of a label, and of levels at a side of a gap.
    private static let mostLines = 8
    private static let mostLevels = 12
    private static let longestLine = 28
    private static let columnWidth = 6.7
    private static let levelHeight = 14.0

    /// The side of a row where labels stand.
    private struct Side: Hashable {
        var row: Int
        var isBelow: Bool
    }

    private struct Place {
        var x: Double
        var side: Side
        var level: Int
    }

    /// The shown lines of the label of each bundle.
    private let lines: [[String]]
    /// The places of the labels with room, by the numbers of their bundles.
    private var places: [Int: Place] = [:]
    private var levels: [Side: [[ClosedRange<Double>]]] = [:]

    /// Reads the labels of bundles.
    init(_ bundles: [PictureLayout.Bundle]) {
        lines = bundles.map { Self.lines(of: $0.label) }
    }

    /// The width of the widest label.
    var width: Double { lines.map(Self.width).max() ?? 0 }

    /// The lines of a label, with the number of those that have no room.
    private static func lines(of label: String) -> [String] {
        guard !label.isEmpty else { return [] }
        let all = label.unicodeScalars.split(separator: "\n").map(String.init)
        let shown = all.count > mostLines ? mostLines - 1 : all.count
        let texts = all.prefix(shown).map { $0.visible(within: longestLine) }
        return shown < all.count ? texts + ["+ \((all.count - shown).grouped) more"] : texts
    }

    private static func width(_ lines: [String]) -> Double {
        (lines.map(\.displayWidth).max().map(Double.init) ?? 0) * columnWidth + 6
    }

    /// Places a label in the first levels with room, if there are any.
    ///
    /// - Parameters:
    ///   - bundle: The number of the bundle.
    ///   - x: The middle of the label, if it has room there.
    ///   - row: The row of the box that owns the line.
    ///   - isBelow: Whether the label stands below the row.
    ///   - width: The width of the picture.
    mutating func place(_ bundle: Int, at x: Double, row: Int, isBelow: Bool, within width: Double) {
        let (side, count, half) = (Side(row: row, isBelow: isBelow), lines[bundle].count, Self.width(lines[bundle]) / 2)
        guard count > 0 else { return }
        let x = min(max(x, half), width - half)
        let range = (x - half)...(x + half)
        var used = levels[side] ?? []
        for level in 0...(Self.mostLevels - count) {
            let taken = level..<(level + count)
            if taken.contains(where: { $0 < used.count && used[$0].contains(where: range.overlaps) }) { continue }
            while used.count < taken.upperBound { used.append([]) }
            for level in taken { used[level].append(range) }
            levels[side] = used
            places[bundle] = Place(x: x, side: side, level: level)
            return
        }
    }

    /// The height of the gap below a row.
    func gap(below row: Int) -> Double {
        let upper = levels[Side(row: row, isBelow: true)]?.count ?? 0
        let lower = levels[Side(row: row + 1, isBelow: false)]?.count ?? 0
        return max(BoxSize.rowGap, 48 + Self.levelHeight * Double(max(1, upper) + max(1, lower) - 2))
    }

    /// Whether a label is shown whole.
    func showsWhole(_ bundle: Int, _ label: String) -> Bool {
        lines[bundle].joined(separator: "\n") == label && (label.isEmpty || places[bundle] != nil)
    }

    /// The shown lines, in the order of the bundles.
    ///
    /// - Parameters:
    ///   - tops: The upper edge of each row.
    ///   - heights: The height of each row.
    func drawn(_ tops: [Double], _ heights: [Double]) -> String {
        places.sorted { $0.key < $1.key }.flatMap { bundle, place in
            let lines = lines[bundle]
            return lines.enumerated().map { index, line in
                let row = place.side.row
                let level = Double(place.level + (place.side.isBelow ? index : lines.count - 1 - index))
                let y =
                    place.side.isBelow
                    ? tops[row] + heights[row] + 20 + level * Self.levelHeight
                    : tops[row] - 13 - level * Self.levelHeight
                return "<text class=\"label\" x=\"\(place.x.short)\" y=\"\(y.short)\">\(line.xmlEscaped)</text>\n"
            }
        }.joined()
    }
}
