import NestedRecords

extension Command {
    /// Lists types and fields.
    static let ls = Command(
        name: "ls",
        summary: "Lists the types of the records, and their fields",
        discussion: """
            A line for each field has the kinds of its values, the share of the records of the type that have no such \
            field, and the value of the first record that has one. All records are read.

            The values in maps, also in maps of lists, have lines with their paths, down to the fourth name; the share \
            is that of the maps without the value. Maps with more than 30 different names are not opened: their names \
            are data.

            With TYPE, each line has the number of different values, up to 10,000, the least and the greatest one, and the
            most frequent one with its number; lists, maps and null do not count.

            With --sizes, a line for each type has the numbers of its records, fields, bytes and references. The bytes are
            the size of the records in a record file, of their binary form in another database, or of the lines.
            References in are all references to records of a type, also to missing records; 'records verify' lists the
            missing records. A record that occurs twice in lines counts twice. In a record file, live bytes are the
            newest version of each record. Dead bytes are older versions and deleted records, which 'records compact'
            reclaims, and the index that makes opening the file fast.
            """,
        examples: [
            Example("records ls world.json", "The types and the fields of nested JSON"),
            Example("records ls school.records Student", "The fields of one type"),
            Example("records ls school.records --sizes", "The sizes of the types"),
        ],
        arguments: [.records, Argument("TYPE", "Only this type.", .optional, kind: .type)],
        options: [.flag("sizes", nil, "Count the records, fields, bytes and references of each type.")],
        isPaged: true
    ) { arguments in
        let input = try await arguments.input()
        let type = try arguments.textIfPresent("TYPE")
        if try arguments.flag("sizes") {
            if type != nil { throw UsageError("option '--sizes' is about all types, without TYPE") }
            try await arguments.printSizes(of: input)
            return .done
        }
        let progress = arguments.bar("Reading", total: try await input.count())
        var types: [String: FieldSummary] = [:]
        for try await record in input.namedRecords() {
            types[record.id.type, default: FieldSummary(isProfile: record.id.type == type)].add(record.fields)
            progress.advance()
        }
        progress.finish()
        if let type {
            guard let summary = types[type] else {
                throw UsageError(types.keys.sorted().unknown(type, in: input.name))
            }
            types = [type: summary]
        }
        let console = arguments.console
        if let type, let count = types[type]?.count { try console.output.write("\(type), \(count.countedRecords)\n") }
        let header =
            type == nil
            ? ["type", "records", "field", "kinds", "missing", "example"]
            : ["field", "kinds", "missing", "different", "least", "greatest", "most frequent"]
        var table = Table(header: header, terminal: console.outputTerminal)
        for (name, summary) in types.sorted(by: { $0.key < $1.key }) {
            var start: [Table.Cell] = type == nil ? [.text(name), .number(summary.count.grouped)] : []
            let lines = summary.lines()
            if lines.isEmpty, type == nil { try console.output.write(try table.add(start)) }
            for line in lines {
                let values = type == nil ? [line.example.exampleCell] : line.profile.cells
                try console.output.write(try table.add(start + line.cells + values))
                start = start.map { _ in .empty }
            }
        }
        try console.output.write(table.finish())
        return .done
    }
}

extension FieldSummary.Line {
    fileprivate var cells: [Table.Cell] {
        // A share that is not zero is not shown as such.
        let percent = missing == 0 ? "" : "\(max(1, Int((missing * 100).rounded()))) %"
        return [.text(title), .text(kinds.sorted().joined(separator: ", ")), .number(percent)]
    }
}

extension ValueProfile {
    /// The cells: the number of values, the least, the greatest, and the most frequent one with its number.
    fileprivate var cells: [Table.Cell] {
        let number = counts.isEmpty ? "" : (hasMore ? "> " : "") + counts.count.grouped
        let commonest = commonest.map { value, count in
            Table.Cell.text("\(value.plainText.visible(within: 30)) (\(count.grouped))", Tint(value))
        }
        return [
            .number(number), least?.value.exampleCell ?? .empty, greatest?.value.exampleCell ?? .empty,
            commonest ?? .empty,
        ]
    }
}

extension Record.Value {
    fileprivate var exampleCell: Table.Cell { .text(plainText.visible(within: 40), Tint(self)) }
}
