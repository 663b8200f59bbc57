/// A node as a box with lines of text.
struct SVGBox {
    static let fontSize = 12.0
    private static let columnWidth = 7.3
    private static let lineHeight = 16.0
    private static let padding = 10.0

    /// The columns at which a line is folded.
    private static let mostColumns = 40

    let colour: Int?

    /// The address that the box links to; nil for none.
    let address: String?

    /// The label of arrows from the node to itself; without lines if there are none.
    let loop: SVGLabel
    private let title: String
    private let texts: [(line: String, isTitle: Bool)]

    /// Makes the box of a node.
    init(_ node: Picture.Node, colour: Int?, loop: SVGLabel, address: String?) {
        (self.colour, self.loop, self.address, title) = (colour, loop, address, node.title)
        func folded(_ text: String, isTitle: Bool) -> [(String, Bool)] {
            text.visible.folded(to: Self.mostColumns).map { ($0, isTitle) }
        }
        texts = folded(node.title, isTitle: true) + node.lines.flatMap { folded($0, isTitle: false) }
    }

    /// The size of the box without a loop.
    var size: BoxSize {
        let columns = texts.map(\.line.displayWidth).max() ?? 0
        return BoxSize(
            width: max(48, Double(columns) * Self.columnWidth + 2 * Self.padding),
            height: Double(texts.count) * Self.lineHeight + Self.padding)
    }

    /// The size with the loop beside the box; the box stays in the middle.
    var outerSize: BoxSize {
        guard !loop.lines.isEmpty else { return size }
        return BoxSize(width: size.width + 2 * (30 + loop.size.width), height: max(size.height, loop.size.height + 10))
    }

    /// Draws the box, and the loop.
    func drawn(_ x: Double, _ y: Double) -> String {
        let (left, right) = (x - size.width / 2, x + size.width / 2)
        var text = "<g class=\"\(colour.map { "t\($0)" } ?? "missing")\">\n<title>\(title.xmlEscaped)</title>\n"
        text += "<rect x=\"\(left.short)\" y=\"\(y.short)\" width=\"\(size.width.short)\""
        text += " height=\"\(size.height.short)\" rx=\"6\"/>\n"
        for (index, (line, isTitle)) in texts.enumerated() {
            let baseline = y + Self.padding / 2 + Self.lineHeight * Double(index) + Self.fontSize
            text += "<text\(isTitle ? " class=\"title\"" : "") x=\"\((left + Self.padding).short)\""
            text += " y=\"\(baseline.short)\">\(line.xmlEscaped)</text>\n"
        }
        text += "</g>\n"
        if let address { text = "<a href=\"\(address.xmlEscaped)\">\n\(text)</a>\n" }
        guard !loop.lines.isEmpty else { return text }
        return text + "<g>\(loop.tooltip)<path d=\"M\(right.short) \((y + 6).short)C\((right + 30).short) \(y.short) "
            + "\((right + 30).short) \((y + 20).short) \(right.short) \((y + 20).short)\" marker-end=\"url(#arrow)\"/>\n"
            + loop.drawn(right + 30 + loop.size.width / 2, y + 2) + "</g>\n"
    }
}

/// The label of a line: its fields, of many the first ones and their number.
struct SVGLabel {
    private static let mostFields = 8
    private static let mostColumns = 40
    private static let columnWidth = 6.7
    private static let lineHeight = 14.0

    let lines: [String]

    /// All fields, if the lines lack some.
    let tooltip: String

    /// Makes the label of some fields.
    init(_ fields: [String]) {
        let shown = fields.count > Self.mostFields ? Self.mostFields - 1 : fields.count
        lines =
            fields.prefix(shown).flatMap { $0.visible.folded(to: Self.mostColumns) }
            + (shown < fields.count ? ["+ \((fields.count - shown).grouped) more"] : [])
        tooltip = shown < fields.count ? "<title>\(fields.joined(separator: ", ").xmlEscaped)</title>" : ""
    }

    /// The size, with space around the text.
    var size: BoxSize {
        guard !lines.isEmpty else { return BoxSize(width: 4, height: 0) }
        return BoxSize(
            width: Double(lines.map(\.displayWidth).max() ?? 0) * Self.columnWidth + 8,
            height: Double(lines.count) * Self.lineHeight + 4)
    }

    /// Draws the lines.
    func drawn(_ x: Double, _ y: Double) -> String {
        lines.enumerated().map { index, line in
            let baseline = y + 12 + Double(index) * Self.lineHeight
            return "<text class=\"label\" x=\"\(x.short)\" y=\"\(baseline.short)\">\(line.xmlEscaped)</text>\n"
        }.joined()
    }
}
