extension Picture {
    /// The picture in the language of Mermaid.
    var mermaid: String {
        var text = "flowchart TB\n"
        for (index, node) in nodes.enumerated() {
            let label = ([node.title] + node.lines).map(Self.mermaidEscaped).joined(separator: "<br/>")
            let style = colour(of: node).map { "t\($0)" } ?? "missing"
            text += "    n\(index)[\"\(label)\"]:::\(style)\n"
        }
        for (edge, ends) in zip(edges, ends) {
            let arrow =
                switch edge.kind {
                case .owning: "-->"
                case .link: "-.->"
                case .deleteSelf: "==>"
                }
            let label = edge.label.isEmpty ? "" : "|\"\(Self.mermaidEscaped(edge.label))\"|"
            text += "    n\(ends.from) \(arrow)\(label) n\(ends.to)\n"
        }
        for number in colours {
            let colours = PictureColours.palette[number].light
            text += "    classDef t\(number) fill:\(colours.ground),stroke:\(colours.border),color:#1f2328\n"
        }
        if nodes.contains(where: \.isMissing) { text += "    classDef missing stroke-dasharray:4 3\n" }
        return text
    }

    /// Text in quotes, with special characters as entities in the syntax of Mermaid.
    private static func mermaidEscaped(_ text: String) -> String {
        text.visible.replacing { $0.isASCII && !mermaidPlain.contains($0) ? "#\($0.value);" : nil }
    }

    private static let mermaidPlain = Set(
        " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:/_-+=".unicodeScalars)
}
