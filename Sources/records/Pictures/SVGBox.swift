/// A node as a box with lines of text.
struct SVGBox {
    static let fontSize = 12.0
    private static let columnWidth = 7.3
    private static let lineHeight = 16.0
    private static let padding = 10.0
    private static let mostColumns = 40
    private static let mostLoopColumns = 28

    let node: Picture.Node
    let colour: Int?

    /// The label of arrows from the node to itself; nil without such arrows.
    let loop: String?

    /// The address that the box links to; nil for none.
    let address: String?

    /// The shown part of that label.
    var shownLoop: String? { loop?.visible(within: Self.mostLoopColumns) }

    /// The width of a text.
    static func width(of text: String) -> Double {
        Double(text.displayWidth) * columnWidth
    }

    private var texts: [String] {
        ([node.title] + node.lines).map { $0.visible(within: Self.mostColumns) }
    }

    /// The size of the box without a loop.
    var size: BoxSize {
        let text = texts.map(Self.width).max() ?? 0
        return BoxSize(
            width: max(48, text + 2 * Self.padding),
            height: Double(texts.count) * Self.lineHeight + Self.padding)
    }

    /// The size with the loop beside the box; the box stays in the middle.
    var outerSize: BoxSize {
        let beside = shownLoop.map { 2 * (34 + Self.width(of: $0)) } ?? 0
        return BoxSize(width: size.width + beside, height: size.height)
    }

    /// Draws the box.
    ///
    /// - Parameters:
    ///   - x: The middle of the box.
    ///   - y: The upper edge of the box.
    func drawn(_ x: Double, _ y: Double) -> String {
        let left = x - size.width / 2
        let style = colour.map { "t\($0)" } ?? "missing"
        var text = "<g class=\"\(style)\">\n<title>\(node.title.xmlEscaped)</title>\n"
        text += "<rect x=\"\(left.short)\" y=\"\(y.short)\" width=\"\(size.width.short)\""
        text += " height=\"\(size.height.short)\" rx=\"6\"/>\n"
        for (index, line) in texts.enumerated() {
            let baseline = y + Self.padding / 2 + Self.lineHeight * Double(index) + Self.fontSize
            let emphasis = index == 0 ? " class=\"title\"" : ""
            text += "<text\(emphasis) x=\"\((left + Self.padding).short)\" y=\"\(baseline.short)\">"
            text += "\(line.xmlEscaped)</text>\n"
        }
        text += "</g>\n"
        return address.map { "<a href=\"\($0.xmlEscaped)\">\n\(text)</a>\n" } ?? text
    }
}
