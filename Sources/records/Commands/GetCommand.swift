import NestedRecords

extension Command {
    /// Prints records by ID.
    static let get = Command(
        name: "get",
        summary: "Prints the records with these IDs",
        discussion: """
            On a terminal it prints each record with a line for each field, else lines of typed JSON. A missing ID is \
            an error; the other records are printed.
            """,
        examples: [Example("records get school.records School/hilltop Person/ada", "Two records")],
        arguments: [.records, Argument("ID", "A record's type and name: Person/ada.", .repeated, kind: .id)],
        options: [RecordFormat.option([.text, .jsonl, .json])],
        isPaged: true
    ) { arguments in
        let ids = try arguments.texts("ID").map(arguments.id)
        let format = try arguments.format(onTerminal: .text)
        let output = arguments.console.output
        let input = try await arguments.input()
        let database = try input.database()
        let found = try await database.recordsByID(for: ids.uniqued())
        var printer: any RecordPrinter =
            switch format {
            case .text: TextPrinter(console: arguments.console)
            case .json: ListPrinter(output: output)
            default: LinePrinter(output: output)
            }
        for id in ids {
            if let record = found[id] { try printer.print(record) }
        }
        try printer.finish()
        let missing = ids.uniqued().filter { found[$0] == nil }
        guard missing.isEmpty else { throw try await input.missing(missing, in: database) }
        return .done
    }
}
