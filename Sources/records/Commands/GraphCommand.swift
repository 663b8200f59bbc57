import NestedRecords

extension Command {
    /// Draws records and their references.
    static let graph = Command(
        name: "graph",
        summary: "Draws a picture of records and references",
        discussion: """
            With a root, the picture shows the records that references from the root lead to; links are dashed, and are
            not followed. Without a root, it shows all records. A reference whose record is deleted together with its
            target is thick. A missing record has a dashed border. With --refs, it also shows the records that refer to
            the root.

            More than 200 records are drawn as types: one box for each type with the number of its records, and one
            arrow for each field with the number of its references. A record that occurs twice in lines counts twice.

            The types of a picture have different colours, of which there are 16. In svg, more than 3 arrows of
            one kind between the same two boxes are one line with their fields; of more than 8 fields, the line shows 7
            and a tooltip all.
            """,
        examples: [
            Example("records graph school.records --format svg > school.svg", "A drawing of all records"),
            Example("records graph school.records School/hilltop --depth 2 | dot -Tpdf > school.pdf", "By Graphviz"),
            Example("records graph world.records --summary --format mermaid", "The types of a large file"),
        ],
        arguments: [.records, .root],
        options: [
            .value(
                "format", "f", as: "FORMAT", kind: .choice(PictureFormat.allCases.map(\.rawValue)), default: "dot",
                "The format of the picture."),
            .depthFromRoot,
            .flag("refs", nil, "Also draw the records that refer to ROOT-ID."),
            .flag("summary", "s", "Draw types also if there are few records."),
        ]
    ) { arguments in
        let (root, depth) = try arguments.rootAndDepth()
        let choice = try arguments.text("format")
        guard let format = PictureFormat(rawValue: choice) else {
            throw UsageError.unknown("format", choice, known: PictureFormat.allCases.map(\.rawValue))
        }
        let isSummary = try arguments.flag("summary")
        let input = try await arguments.input()
        var picture = RecordPicture(isSummary: isSummary)
        let drawsReferrers = try arguments.flag("refs")
        if drawsReferrers, root == nil { throw UsageError("option '--refs' needs ROOT-ID") }
        try await input.add(
            to: &picture, from: root, maximumDepth: depth, withReferrers: drawsReferrers, arguments)
        // Before the message below: there may be too many types, too.
        let drawing = picture.finish()
        let text: String
        do {
            text = try format.draw(drawing)
        } catch let error as PictureTooLarge {
            throw InputError(input: input.name, reason: "\(error)")
        }
        if picture.isSummary, !isSummary {
            let hint = root == nil ? "give a ROOT-ID to draw the records below it" : "give a smaller --depth"
            arguments.console.statusLine.print(
                "\(arguments.program.name): more than \(RecordPicture.mostBoxes) boxes cannot be read: drew the types "
                    + "of \(picture.count.grouped) records (\(hint))")
        }
        try arguments.console.output.write(text)
        return .done
    }
}

/// The format of a picture.
enum PictureFormat: String, CaseIterable {
    case dot, mermaid, svg

    /// Draws a picture in this format.
    ///
    /// The function throws ``PictureTooLarge``.
    var draw: @Sendable (Picture) throws -> String {
        switch self {
        case .dot: { $0.dot }
        case .mermaid: { $0.mermaid }
        case .svg: { try $0.svg() }
        }
    }
}

extension RecordInput {
    /// Adds the records below a root to a picture or a page; without a root all records.
    func add(
        to collector: inout some RecordCollector, from root: Record.ID?, maximumDepth: Int,
        withReferrers: Bool = false, _ arguments: ParsedArguments
    ) async throws {
        if let root {
            return try await add(
                to: &collector, below: root, maximumDepth: maximumDepth, withReferrers: withReferrers, arguments)
        }
        let progress = arguments.bar("Reading", total: try await count())
        defer { progress.finish() }
        for try await record in namedRecords() {
            try await naming { try collector.add(record) }
            progress.advance()
        }
    }

    private func add(
        to collector: inout some RecordCollector, below root: Record.ID, maximumDepth: Int, withReferrers: Bool,
        _ arguments: ParsedArguments
    ) async throws {
        let progress = arguments.bar("Reading", total: nil)
        defer { progress.finish() }
        let records = try await naming { () async throws -> (ReachedRecords, any RecordDatabase) in
            let database = try self.database()
            return (try await ReachedRecords(from: root, maximumDepth: maximumDepth, in: database), database)
        }
        let (reached, database) = records
        for portion in reached.ids.portions(of: ReachedRecords.portion) {
            let found = try await naming { try await database.recordsByID(for: Array(portion)) }
            for record in portion.compactMap({ found[$0] }) {
                let isFollowed = reached.followed.contains(record.id)
                try collector.add(record) { isFollowed || reached.reached.contains($0) }
                progress.advance()
            }
        }
        guard withReferrers else { return }
        let referrers = try await naming { try await database.referrers(of: [root])[root] ?? [] }
        let ids = referrers.map(\.record).uniqued().filter { !reached.reached.contains($0) }
        let shown = reached.reached.union(ids)
        for portion in ids.portions(of: ReachedRecords.portion) {
            let found = try await naming { try await database.recordsByID(for: Array(portion)) }
            for record in portion.compactMap({ found[$0] }) { try collector.add(record) { shown.contains($0) } }
        }
    }
}
