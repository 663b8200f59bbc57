import NestedRecords

extension Command {
    /// Lists types and fields.
    static let ls = Command(
        name: "ls",
        summary: "Lists the types of the records, and their fields",
        discussion: """
            A line for each field has the kinds of its values, the share of the records of the type that have no such \
            field, and the value of the first record that has one. All records are read.
            """,
        examples: [
            Example("records ls world.json", "The types and the fields of nested JSON"),
            Example("records ls school.records Student", "The fields of one type"),
        ],
        arguments: [.records, Argument("TYPE", "Only this type.", .optional, kind: .type)],
        isPaged: true
    ) { arguments in
        let input = try await arguments.input()
        let type = try arguments.textIfPresent("TYPE")
        let progress = arguments.bar("Reading", total: try await input.count())
        var types: [String: TypeSummary] = [:]
        for try await record in input.namedRecords() {
            types[record.id.type, default: TypeSummary()].add(record)
            progress.advance()
        }
        progress.finish()
        if let type {
            guard let summary = types[type] else {
                let names = types.keys.sorted()
                let hint = Spelling.nearest(to: type, in: names).map { "did you mean '\($0)'?" } ?? names.listed
                throw UsageError("there is no type '\(type.shortened)' in \(input.name); \(hint)")
            }
            types = [type: summary]
        }
        let console = arguments.console
        var table = Table(
            header: ["type", "records", "field", "kinds", "missing", "example"], terminal: console.outputTerminal)
        for (type, summary) in types.sorted(by: { $0.key < $1.key }) {
            for row in summary.rows(of: type) { try console.output.write(try table.add(row)) }
        }
        try console.output.write(table.finish())
        return .done
    }
}

/// The fields of the records of a type.
private struct TypeSummary {
    private struct Field {
        var count = 0
        var kinds: Set<String> = []
        let example: Record.Value
    }

    private var count = 0
    private var names: [String] = []
    private var fields: [String: Field] = [:]

    mutating func add(_ record: Record) {
        count += 1
        for (name, value) in record.fields {
            if fields[name] == nil {
                names.append(name)
                fields[name] = Field(example: value)
            }
            fields[name]?.count += 1
            fields[name]?.kinds.insert(value.shortKind)
        }
    }

    /// The rows of a table, one for each field.
    func rows(of type: String) -> [[Table.Cell]] {
        let start: [Table.Cell] = [.text(type), .number(count.grouped)]
        if names.isEmpty { return [start] }
        return names.enumerated().map { position, name in
            guard let field = fields[name] else { return start }
            let missing = Double(count - field.count) / Double(count)
            // A share that is not zero is not shown as such.
            let percent = missing == 0 ? "" : "\(max(1, Int((missing * 100).rounded()))) %"
            return (position == 0 ? start : [.empty, .empty]) + [
                .text(name), .text(field.kinds.sorted().joined(separator: ", ")), .number(percent),
                .text(field.example.plainText.visible(within: 40), Tint(field.example)),
            ]
        }
    }
}
