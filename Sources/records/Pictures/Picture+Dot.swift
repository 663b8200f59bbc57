extension Picture {
    /// The picture in the language of Graphviz.
    var dot: String {
        var text = """
            digraph records {
                node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11]
                edge [fontname="monospace", fontsize=9, color="#6b7280"]

            """
        for (index, node) in nodes.enumerated() {
            let label = ([node.title] + node.lines).map(Self.dotEscaped).joined(separator: #"\n"#)
            text += "    n\(index) [label=\"\(label)\", \(dotStyle(of: node))]\n"
        }
        for (edge, ends) in zip(edges, ends) {
            let style =
                switch edge.kind {
                case .owning: ""
                case .link: ", style=dashed"
                case .deleteSelf: ", penwidth=2.5"
                }
            text += "    n\(ends.from) -> n\(ends.to) [label=\"\(Self.dotEscaped(edge.label))\"\(style)]\n"
        }
        return text + "}\n"
    }

    private func dotStyle(of node: Node) -> String {
        guard let colour = colour(of: node) else { return "style=\"rounded,dashed\"" }
        let colours = PictureColours.palette[colour].light
        return "fillcolor=\"\(colours.ground)\", color=\"\(colours.border)\""
    }

    /// Text in quotes: Graphviz reads escapes after a backslash, and entities after an ampersand.
    private static func dotEscaped(_ text: String) -> String {
        text.visible.replacing { [#"\"#: #"\\"#, "\"": #"\""#, "&": "&amp;"][$0] }
    }
}
