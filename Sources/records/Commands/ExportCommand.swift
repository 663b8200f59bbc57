import NestedRecords

extension Command {
    /// Prints all records as lines.
    static let export = Command(
        name: "export",
        summary: "Prints the records of a file as lines of typed JSON",
        discussion: "Each line is a record, with nothing left out: 'import' makes the same records of them.",
        examples: [Example("records export school.records > school.jsonl", "All records, in a file of lines")],
        arguments: [.records],
        options: [.value("type", "t", as: "TYPE", "Only records of this type.")]
    ) { arguments in
        let input = try arguments.input()
        let type = try arguments.textIfPresent("type")
        let progress = try await arguments.progress("Exporting", of: input, type: type)
        defer { progress?.finish() }
        var printer = LinePrinter(output: arguments.console.output)
        for try await record in input.records(ofType: type) {
            try printer.print(record)
            progress?.advance()
        }
        return .done
    }
}
