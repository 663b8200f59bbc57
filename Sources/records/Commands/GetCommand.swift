import NestedRecords

extension Command {
    /// Prints records by ID, the records that refer to them, or those below them.
    static let get = Command(
        name: "get",
        summary: "Prints the records with these IDs, references to them, or trees",
        discussion: """
            On a terminal it prints each record with a line for each field, else lines of plain JSON as 'query' prints
            them. The ID '-' means the IDs on standard input: one on each line, also in quotes as JSON, or one JSON
            list. A missing ID is an error; the other records are printed.

            With --refs, each line is a record that refers to one of these records, and the path of its reference. Links
            are marked.

            With --tree, each line has the field that refers to a record, the record's ID, and the first short strings in
            its fields. The records below a record are drawn once (↑ shown above), and not again inside themselves
            (↻ cycle). Links are not followed (⇢ link). The target of a reference may be missing (✗ missing). On a
            terminal, lines are cut to its width.
            """,
        examples: [
            Example("records get school.records School/hilltop Person/ada", "Two records"),
            Example("records query school.records Book --ids | records get school.records -", "Records of a query"),
            Example("records get school.records Book/2 --refs", "Who refers to the book"),
            Example("records get world.records Planet/earth --tree --depth 2", "Two levels of the world"),
        ],
        arguments: [
            .records, Argument("ID", "A record's type and name: Person/ada, or '-'.", .repeated, kind: .id),
        ],
        options: [
            FieldSelection.option, .flag("refs", nil, "Print the records that refer to these records."),
            .flag("tree", nil, "Draw the records below these records."),
            .value("depth", "d", as: "N", "The maximum number of references from the root of a tree, up to 1000."),
        ] + RecordOutput.options([.text, .jsonl, .json, .csv, .tsv, .markdown]),
        isPaged: true
    ) { arguments in
        let isTree = try arguments.flag("tree")
        for option in isTree ? ["refs"] : ["depth"] where arguments.isGiven(option) {
            let reason = isTree ? "cannot be given together with '--tree'" : "needs '--tree'"
            throw UsageError("option '--\(option)' \(reason)")
        }
        for option in ["format", "typed", "fields", "guard-formulas"]
        where try arguments.isGiven(option) && (isTree || arguments.flag("refs")) {
            throw UsageError("option '--\(option)' cannot be given together with '--\(isTree ? "tree" : "refs")'")
        }
        let ids: [Record.ID]
        do { ids = try arguments.ids() } catch let error as UsageError { throw try await arguments.naming(error) }
        let input = try await arguments.input()
        if isTree { return try await arguments.printTrees(of: ids, in: input) }
        if try arguments.flag("refs") { return try await arguments.printReferences(to: ids, in: input) }
        return try await arguments.print(ids, in: input)
    }
}

extension ParsedArguments {
    /// The IDs that the user gave, or those on standard input.
    fileprivate func ids() throws -> [Record.ID] {
        try texts("ID").flatMap { word in
            if word != OpenFile.standardInput { return [try id(word)] }
            if try text("FILE") == word { throw UsageError("FILE and ID cannot both be standard input") }
            let file = try OpenFile(word)
            let bytes = try file.contents()
            // A list may take several lines.
            let isList = bytes[...].withoutOuterSpace.first == UInt8(ascii: "[")
            let lines = isList ? [bytes[...]] : bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            return try lines.enumerated().flatMap { number, line in
                do {
                    return try Self.names(line).map(id)
                } catch {
                    throw InputError(input: file.name, reason: (isList ? "" : "line \(number + 1): ") + "\(error)")
                }
            }
        }
    }

    /// The error for a name without a type, with the records of this name.
    fileprivate func naming(_ error: UsageError) async throws -> UsageError {
        guard
            let name = try texts("ID").first(where: {
                !$0.utf8.contains(UInt8(ascii: "/")) && $0 != OpenFile.standardInput
            })
        else { return error }
        let input = try await input()
        return try await input.naming {
            let database = try input.database()
            let types = try await input.types(of: database)
            let ids = types.compactMap { try? Record.ID(type: $0, name: name) }
            let found = try await database.recordsByID(for: ids).keys.sorted()
            if found.isEmpty { return error }
            let list = found.prefix(5).map { "\($0)" }.joined(separator: ", ") + (found.count > 5 ? ", …" : "")
            return UsageError("'\(name)' is the name of \(list): an ID begins with the type")
        }
    }

    /// The strings in a line: itself, a string of JSON, or a list of such strings.
    private static func names(_ line: ArraySlice<UInt8>) throws -> [String] {
        let content = line.withoutOuterSpace
        guard let first = content.first else { return [] }
        guard "[\"".utf8.contains(first) else {
            // A name may end with a space, and the line of another system with a carriage return.
            let end = line.last == 0x0D ? line.endIndex - 1 : line.endIndex
            return [String(decoding: line[content.startIndex..<end], as: UTF8.self)]
        }
        let value = try Record.Value(typedJSON: Array(content))
        let values = if case .list(let values) = value { values } else { [value] }
        return try values.map { value in
            guard case .string(let name) = value else { throw UsageError("\(value) is not an ID such as Person/ada") }
            return name
        }
    }

    fileprivate func print(_ ids: [Record.ID], in input: RecordInput) async throws -> ExitStatus {
        let database = try input.database()
        let types = ids.map(\.type).uniqued()
        let showsIDs = try showsIDs(of: types, onTerminal: .text)
        let fields = try textIfPresent("fields").map { try FieldSelection($0, types: types, showsIDs: showsIDs) }
        let output = try RecordOutput(self, onTerminal: .text, types: types, fields: fields)
        if let fields { try await FieldCatalog.checked(fields.uses, in: database, named: input.name) }
        var missing: [Record.ID] = []
        try await output.print(of: input.name, canRepeat: true) { body in
            missing = []
            for portion in ids.portions(of: 1_000) {
                let found = try await database.recordsByID(for: portion.uniqued())
                let records = portion.compactMap { found[$0] }
                missing += portion.filter { found[$0] == nil }
                for record in try await fields?.narrowed(records, in: database) ?? records { try body(record) }
            }
        }
        guard missing.isEmpty else { throw try await input.missing(missing.uniqued(), in: database) }
        return .done
    }

    fileprivate func printReferences(to ids: [Record.ID], in input: RecordInput) async throws -> ExitStatus {
        let (ids, database) = (ids.uniqued(), try input.database())
        let referrers = try await input.naming { try await database.referrers(of: ids) }
        for id in ids {
            for referrer in (referrers[id] ?? []).sorted(by: { ($0.record, $0.path) < ($1.record, $1.path) }) {
                let target = ids.count > 1 ? " → \(id)" : ""
                try console.output.write(
                    "\(referrer)\(target)\(referrer.reference.isLink ? " (link)" : "")".visible + "\n")
            }
        }
        let present = try await database.recordsByID(for: ids)
        let missing = ids.filter { present[$0] == nil }
        guard missing.isEmpty else { throw try await input.missing(missing, in: database) }
        return .done
    }

    fileprivate func printTrees(of ids: [Record.ID], in input: RecordInput) async throws -> ExitStatus {
        let depth = try integerIfPresent("depth", in: 0...1_000) ?? 100
        let terminal = console.outputTerminal
        try await input.naming {
            var tree = RecordTree(in: try input.database(), maximumDepth: depth)
            for id in ids {
                var line = try await tree.begin(at: id)
                if line == nil { throw try await input.missing([id]) }
                while let text = line?.text(within: terminal.width, on: terminal) {
                    try console.output.write(text + "\n")
                    line = try await tree.next()
                }
            }
        }
        return .done
    }
}
