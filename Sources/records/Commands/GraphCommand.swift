import NestedRecords

extension Command {
    /// Draws records and their references.
    static let graph = Command(
        name: "graph",
        summary: "Draws a picture of records and references",
        discussion: """
            With a root the picture has the records that references lead to from there; links are drawn, dashed, and
            not followed. Without one it has all records. References that take their record along when their target is
            deleted are thick, records that are not there have a dashed border.

            A picture of more than 200 records cannot be read. Instead there is one box for each type then, with the
            number of its records, and one arrow for each field with the number of its references. A record that
            occurs twice in lines counts twice there.
            """,
        examples: [
            Example("records graph school.records --format svg > school.svg", "A drawing of all records"),
            Example("records graph school.records School/hilltop --depth 2 | dot -Tpdf > school.pdf", "By Graphviz"),
            Example("records graph world.records --summary --format mermaid", "The types of a large file"),
        ],
        arguments: [.records, Argument("ROOT-ID", "The record to begin at, such as School/hilltop.", .optional)],
        options: [
            .value(
                "format", "f", as: "FORMAT", kind: .choice(PictureFormat.allCases.map(\.rawValue)), default: "dot",
                "How to draw."),
            .value("depth", "d", as: "N", "How many references away from the root to go."),
            .flag("summary", "s", "Draw types, however few records there are."),
        ]
    ) { arguments in
        let root = try arguments.textIfPresent("ROOT-ID").map(arguments.id)
        let depth = try arguments.integerIfPresent("depth", in: 0...Int.max)
        if root == nil, depth != nil { throw UsageError("option '--depth' needs a ROOT-ID to count from") }
        let choice = try arguments.text("format")
        guard let format = PictureFormat(rawValue: choice) else {
            throw UsageError.unknown("format", choice, known: PictureFormat.allCases.map(\.rawValue))
        }
        let isSummary = try arguments.flag("summary")
        let input = try await arguments.input()
        var picture = RecordPicture(isSummary: isSummary)
        if let root {
            try await input.add(to: &picture, from: root, maximumDepth: depth ?? .max, arguments)
        } else {
            try await input.add(to: &picture, arguments)
        }
        // Before anything is said of it: the types may be too many, too.
        let drawing = picture.finish()
        let text: String
        do {
            text = try format.text(of: drawing)
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

/// The languages of pictures.
enum PictureFormat: String, CaseIterable {
    case dot, mermaid, svg

    /// The picture in this language.
    ///
    /// - Throws: ``PictureTooLarge``.
    func text(of picture: Picture) throws -> String {
        switch self {
        case .dot: picture.dot
        case .mermaid: picture.mermaid
        case .svg: try picture.svg()
        }
    }
}

extension RecordInput {
    /// Adds all records to a picture.
    fileprivate func add(to picture: inout RecordPicture, _ arguments: ParsedArguments) async throws {
        let progress = arguments.bar("Reading", total: try await count())
        defer { progress.finish() }
        for try await record in namedRecords() {
            try await naming { try picture.add(record) }
            progress.advance()
        }
    }

    /// Adds the records below a root to a picture.
    fileprivate func add(
        to picture: inout RecordPicture, from root: Record.ID, maximumDepth: Int, _ arguments: ParsedArguments
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
                try picture.add(record) { isFollowed || reached.reached.contains($0) }
                progress.advance()
            }
        }
    }
}
