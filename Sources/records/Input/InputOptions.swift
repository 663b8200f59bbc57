@_spi(Engines) import NestedRecords

/// How to read inputs that are not databases of records, and what to add to them.
struct InputOptions: Sendable {
    /// The delimiter of the values in a line; nil for that of the file's suffix.
    private var delimiter: UInt8?

    /// Whether the first line has the names of the columns.
    private var hasHeader = true

    /// The other inputs whose records are added.
    private(set) var others: [String] = []

    /// The types that the values of fields refer to.
    private var references: [(field: String, type: String)] = []

    /// The option for references, which commands with two inputs have alone.
    static let referOption = Command.Option.value(
        "refer", as: "FIELD=TYPE", isRepeatable: true,
        "Strings and integers of this field that are names of records of the type become references; with "
            + "FIELD=TYPE.OTHER, those that are the value of another field there.")

    /// The command options for these values.
    static let options: [Command.Option] = [
        .value("with", as: "FILE", kind: .file, isRepeatable: true, "Also read the records of this input, in memory."),
        referOption,
        .value("delimiter", as: "CHARACTER", "Read CSV with this delimiter; 'tab' is a tab."),
        .flag("no-header", nil, "Name the columns of CSV column1, column2 and so on."),
    ]

    init() {}

    /// Reads the options from the arguments.
    init(_ arguments: ParsedArguments) throws {
        func has(_ name: String) -> Bool { arguments.command.allOptions.contains { $0.name == name } }
        if has("refer") { references = try arguments.pairs("refer").map { ($0.0, $0.1) } }
        guard has("with") else { return }
        if let text = try arguments.textIfPresent("delimiter") {
            let bytes = Array((["tab", "\\t"].contains(text) ? "\t" : text).utf8)
            guard bytes.count == 1, bytes[0] < 0x80, !"\"\r\n".utf8.contains(bytes[0]) else {
                throw UsageError("option '--delimiter' is one ASCII character and not a quote, or 'tab', not '\(text)'")
            }
            delimiter = bytes[0]
        }
        hasHeader = try !arguments.flag("no-header")
        others = try arguments.texts("with")
    }

    /// Whether records are added or changed.
    var joins: Bool { !others.isEmpty || !references.isEmpty }

    /// These options without what is added.
    var withoutJoins: InputOptions {
        var options = self
        (options.others, options.references) = ([], [])
        return options
    }

    /// Checks the inputs of a command.
    func check(with first: String) throws {
        let paths = [first] + others
        if paths.count(where: { $0 == OpenFile.standardInput }) > 1 {
            throw UsageError("two inputs cannot both be standard input")
        }
        if delimiter != nil || !hasHeader, !paths.contains(where: isTable) {
            throw UsageError(
                "option '--\(delimiter == nil ? "no-header" : "delimiter")' is for CSV, and no input is CSV")
        }
    }

    private static let suffixes = [".csv", ".tsv", ".tab"]

    /// Whether the name of an input says that it is CSV: its suffix, or any that is not one of JSON with a delimiter.
    private func isTable(_ path: String) -> Bool {
        path.ends(withOneOf: Self.suffixes)
            || delimiter != nil && !path.ends(withOneOf: [".json", ".jsonl", ".ndjson", ".geojson"])
    }

    /// The records of an input in CSV or TSV; nil for another input.
    func rows(of path: String, named name: String) throws -> [Record]? {
        guard isTable(path) else { return nil }
        let bytes = try OpenFile.bytes(of: path)
        if !path.ends(withOneOf: Self.suffixes), let other = OtherFormat.of(bytes, at: path) {
            throw other.error(at: path)
        }
        let usual = path.ends(withOneOf: [".csv"]) ? UInt8(ascii: ",") : 0x09
        let header = bytes.prefix { $0 != 0x0A }
        if delimiter == nil, !header.contains(usual), let other = ";,\t".utf8.first(where: header.contains) {
            let shown = other == 0x09 ? "tab" : "'\(String(decoding: [other], as: UTF8.self))'"
            throw InputError(input: path, reason: "found \(shown) between values: add the option --delimiter=\(shown)")
        }
        let text = DelimitedText(bytes, delimiter: delimiter ?? usual, of: OpenFile.name(of: path))
        return try RowTable.records(of: text, hasHeader: hasHeader, named: name)
    }
}

// MARK: Joining

extension InputOptions {
    /// The records of an input and of the others, with references for the values that name records.
    ///
    /// - Throws: ``InputError`` for a record that two inputs have with different contents, `UsageError` for a reference
    ///   that no value is, and errors of reading.
    func joined(_ first: RecordInput) async throws -> (records: [Record], notes: [String]) {
        var (records, notes): ([Record], [String]) = ([], [])
        var places: [Record.ID: (position: Int, input: String)] = [:]
        for path in [nil] + others.map({ $0 }) {
            let input = if let path { try await RecordInput(path, options: withoutJoins) } else { first }
            for try await record in input.namedRecords() {
                if let place = places[record.id] {
                    guard try records[place.position].hasSameContent(as: record) else {
                        throw InputError(
                            input: input.name, reason: "has \(record.id) with other content than \(place.input)")
                    }
                    continue
                }
                places[record.id] = (records.count, input.name)
                records.append(record)
            }
            notes += input.notes
            try await input.close()
        }
        for (field, target) in references {
            let (type, names) = try Self.names(of: target, among: records)
            func link(_ value: Record.Value) -> Record.Value? {
                let name: String
                switch value {
                case .string(let text): name = text
                case .int(let number): name = "\(number)"
                case .list(let values):
                    let links = values.map(link)
                    return links.contains { $0 != nil } ? .list(zip(links, values).map { $0 ?? $1 }) : nil
                case .reference(let reference) where reference.id.type == type: return value
                default: return nil
                }
                guard let id = names[name] else { return nil }
                return .reference(Record.Reference(to: id, isLink: true))
            }
            var isFound = false
            for position in records.indices {
                guard let value = records[position][field].flatMap(link) else { continue }
                (records[position][field], isFound) = (value, true)
            }
            if isFound { continue }
            let types = Set(records.map(\.id.type)).sorted()
            let kind = type == target ? "the name" : "'\(target.dropFirst(type.count + 1))'"
            let reason = "no value of '\(field.shortened)' is \(kind) of a record of the type '\(type.shortened)'"
            let other = type == target ? "; 'FIELD=TYPE.OTHER' compares with another field than the name" : ""
            throw UsageError("option '--refer': \(reason); \(types.listed)\(other)")
        }
        return (records, notes)
    }

    /// The records of a type by their names, or by the values of a field.
    ///
    /// - Parameter target: A type, or a type and a field with a dot between them.
    /// - Throws: `UsageError` for a value that two records have.
    private static func names(
        of target: String, among records: [Record]
    ) throws -> (type: String, names: [String: Record.ID]) {
        let named = records.filter { $0.id.type.hasBytes(of: target) }.map { ($0.id.name, $0.id) }
        let scalars = target.unicodeScalars
        guard named.isEmpty, let dot = scalars.lastIndex(of: ".") else {
            return (target, Dictionary(named) { first, _ in first })
        }
        let (type, field) = (String(scalars[..<dot]), String(scalars[scalars.index(after: dot)...]))
        var names: [String: Record.ID] = [:]
        for record in records where record.id.type.hasBytes(of: type) {
            guard let text = record[field]?.plainText else { continue }
            guard let other = names.updateValue(record.id, forKey: text) else { continue }
            throw UsageError(
                "option '--refer': \(other) and \(record.id) have the same '\(field.shortened)', '\(text.shortened)'")
        }
        return (type, names)
    }
}
