/// The style sheet of drawings, for light and dark surroundings.
enum SVGStyle {
    /// The rules for some colours of the palette.
    static func sheet(colours: [Int]) -> String {
        let light = colours.map { ($0, PictureColours.palette[$0].light) }
        let dark = colours.map { ($0, PictureColours.palette[$0].dark) }
        return """
            text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
            .title { font-weight: bold }
            .label { font-size: 11px; text-anchor: middle }
            path { fill: none; stroke-width: 1.3 }
            .link path { stroke-dasharray: 5 3 }
            .deleteSelf path { stroke-width: 2.8 }
            .missing rect { stroke-dasharray: 4 3 }
            \(rules(light, ground: "#ffffff", text: "#1f2328", line: "#6b7280"))
            @media (prefers-color-scheme: dark) {
            \(rules(dark, ground: "#0d1117", text: "#e6edf3", line: "#8b96a3"))
            }
            """
    }

    private static func rules(
        _ colours: [(number: Int, (ground: String, border: String))], ground: String, text: String, line: String
    ) -> String {
        let types = colours.map { ".t\($0) rect { fill: \($1.ground); stroke: \($1.border) }" }
        let rest = [
            ".ground { fill: \(ground) }", "text { fill: \(text) }", ".label { fill: \(line) }",
            "path { stroke: \(line) }", ".arrow { fill: \(line); stroke: none }",
            ".missing rect { fill: \(ground); stroke: \(line) }",
        ]
        return (rest + types).joined(separator: "\n")
    }
}
