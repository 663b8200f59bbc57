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
                let names = types.keys.sorted()
                let hint = Spelling.nearest(to: type, in: names).map { "did you mean '\($0)'?" } ?? names.listed
                throw UsageError("there is no type '\(type.shortened)' in \(input.name); \(hint)")
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
        for (type, summary) in types.sorted(by: { $0.key < $1.key }) {
            for row in summary.rows(of: type) { try console.output.write(try table.add(row)) }
        }
        try console.output.write(table.finish())
        return .done
    }
}
