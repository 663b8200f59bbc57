import NestedRecords

extension Command {
    /// Draws the records below a record.
    static let tree = Command(
        name: "tree",
        summary: "Draws the records below a record as a tree",
        discussion: """
            Each line has the field that refers to a record, the record's ID, and the first short strings in its fields.
            The records below a record are drawn once (↑ shown above), and not again inside themselves (↻ cycle). Links
            are not followed (⇢ link). The target of a reference may be missing (✗ missing).

            On a terminal, lines are cut to its width.
            """,
        examples: [
            Example("records tree school.records School/hilltop", "The school with everything in it"),
            Example("records tree world.records Planet/earth --depth 2", "Two levels of the world"),
        ],
        arguments: [.records, Argument("ROOT-ID", "The first record, such as School/hilltop.", kind: .id)],
        options: [
            .value("depth", "d", as: "N", default: "100", "The maximum number of references from the root, up to 1000.")
        ],
        isPaged: true
    ) { arguments in
        let root = try arguments.id(try arguments.text("ROOT-ID"))
        let depth = try arguments.integer("depth", in: 0...1_000)
        let input = try await arguments.input()
        let terminal = arguments.console.outputTerminal
        try await input.naming {
            var tree = RecordTree(in: try input.database(), maximumDepth: depth)
            var line = try await tree.begin(at: root)
            if line == nil { throw try await input.missing([root]) }
            while let text = line?.text(within: terminal.width, on: terminal) {
                try arguments.console.output.write(text + "\n")
                line = try await tree.next()
            }
        }
        return .done
    }
}
