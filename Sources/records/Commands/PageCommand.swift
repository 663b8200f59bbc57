import NestedRecords

extension Command {
    /// Makes a page of records for a browser.
    static let page = Command(
        name: "page",
        summary: "Makes a page for a browser, in which people look through records",
        discussion: """
            Prints one HTML file that needs no network: search the records, fold types, lists and maps, and follow
            references in both directions. It has the drawing that 'graph' makes, and all records, however many, up to
            64 MB. With a root it has the records that references from the root lead to; references to records beyond
            --depth are marked as not in this page.
            """,
        examples: [
            Example("records page school.records > school.html", "A page of all records"),
            Example("records page school.records School/hilltop --depth 2 > school.html", "A page of one school"),
        ],
        arguments: [.records, .root],
        options: [.depthFromRoot, .flag("summary", "s", "Draw types also if there are few records.")]
    ) { arguments in
        let (root, depth) = try arguments.rootAndDepth()
        let input = try await arguments.input()
        var page = BrowserPage(isSummary: try arguments.flag("summary"))
        do {
            try await input.add(to: &page, from: root, maximumDepth: depth, arguments)
        } catch let error as PageTooLarge {
            throw InputError(input: input.name, reason: "\(error)")
        }
        let title = root.map { "\($0) in \(input.name)" } ?? input.name
        try page.write(titled: title) { try arguments.console.output.write($0) }
        return .done
    }
}

extension Command.Argument {
    /// The record where a picture or a page begins.
    static let root = Command.Argument("ROOT-ID", "The first record, such as School/hilltop.", .optional, kind: .id)
}

extension Command.Option {
    /// The distance from the root.
    static let depthFromRoot = Command.Option.value(
        "depth", "d", as: "N", "The maximum number of references from the root.")
}

extension ParsedArguments {
    /// The record where a picture or a page begins, and the number of references from there.
    func rootAndDepth() throws -> (root: Record.ID?, depth: Int) {
        let root = try textIfPresent("ROOT-ID").map(id)
        let depth = try integerIfPresent("depth", in: 0...Int.max)
        if root == nil, depth != nil { throw UsageError("option '--depth' needs a ROOT-ID to count from") }
        return (root, depth ?? .max)
    }
}
