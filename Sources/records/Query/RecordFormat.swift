/// The output format of records.
enum RecordFormat: String, CaseIterable {
    case table, text, jsonl, json, csv, tsv, markdown

    /// The option to choose a format.
    ///
    /// - Parameter formats: The formats of the command, the default on a terminal first.
    static func option(_ formats: [RecordFormat]) -> Command.Option {
        .value(
            "format", "f", as: "FORMAT", kind: .choice(formats.map(\.rawValue)),
            "The output format. Default: \(formats[0].rawValue) on a terminal, else jsonl.")
    }
}

extension ParsedArguments {
    /// The format to print records in.
    func format(onTerminal format: RecordFormat) throws -> RecordFormat {
        guard let name = try textIfPresent("format") else {
            return console.outputTerminal.isTerminal && !isGiven("typed") ? format : .jsonl
        }
        guard let format = RecordFormat(rawValue: name) else {
            throw UsageError.unknown("format", name, known: RecordFormat.allCases.map(\.rawValue))
        }
        return format
    }

    /// Whether each record begins with its ID: in plain formats, unless all records have one type.
    func showsIDs(of types: [String], onTerminal format: RecordFormat) throws -> Bool {
        try types.count != 1 && !flag("typed") && ![.table, .text].contains(self.format(onTerminal: format))
    }
}
