import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Command {
    /// Converts nested JSON to records.
    static let flatten = Command(
        name: "flatten",
        summary: "Converts nested JSON to flat records",
        discussion: """
            Each object with an identifier becomes a record, and the enclosing object refers to it. All other objects \
            stay in the fields of the enclosing record. The type of a record is the key of its property, or the type \
            from --map. The type of the outermost record is the name of the file, or the type from --type. A list of \
            objects gives several outermost records.

            With --into the records are saved in a record file or another database, all or none.
            """,
        examples: [
            Example("records flatten Samples/school.json", "The records, printed"),
            Example(
                "records flatten school.json --type School --map students=Person --map director=Person "
                    + "--location location --into school.records", "The records, saved"),
        ],
        arguments: [Argument("INPUT.json", "A JSON file, or '-' for standard input.", kind: .file)],
        options: [
            .value("into", "o", as: "FILE", kind: .file, "Save the records in this database, a path or an address."),
            .value("type", "t", as: "TYPE", "The type of the outermost records."),
            .value(
                "map", "m", as: "KEY=TYPE", isRepeatable: true, "The type of the objects under a key."),
            .value("mapping", as: "FILE.json", kind: .file, "A JSON object that has the types of such objects by key."),
            .value("id-key", as: "KEY", default: "id", "The key of the identifiers."),
            .value(
                "location", "l", as: "KEY", isRepeatable: true,
                "Strings of the form \"latitude;longitude\" under this key become locations."),
            .flag(
                "canonical-locations", nil, "Also store strings as locations that read back in another spelling."),
            .value("ignore", as: "KEY", isRepeatable: true, "Leave out the values under this key."),
            RecordFormat.option([.table, .jsonl, .json]),
        ]
    ) { arguments in
        let path = try arguments.text("INPUT.json")
        let flattening = try arguments.flattening(of: path)
        let format = try arguments.format(onTerminal: .table)
        let target = try arguments.textIfPresent("into") == nil ? nil : arguments.pathOfRecordFile("into")
        let graph: RecordGraph
        do {
            graph = try flattening.records(of: JSONDocument(try Data(contentsOf: path)))
        } catch let error as JSONError {
            throw InputError(input: OpenFile.name(of: path), reason: "\(error)")
        }
        if let file = target {
            let database = try await arguments.openForWriting(file)
            try await database.save(graph, savePolicy: .overwrite)
            try await database.close()
            let counts = Dictionary(grouping: graph, by: \.id.type).map { "\($0) \($1.count.grouped)" }.sorted()
            try arguments.console.output.write(
                "saved \(graph.count.countedRecords) in \(try ServerAddress.shown(file)): \(counts.joined(separator: ", "))"
                    .visible + "\n")
            return .done
        }
        var printer: any RecordPrinter =
            switch format {
            case .table: TablePrinter(console: arguments.console, type: nil, fields: nil)
            case .json: ListPrinter(output: arguments.console.output)
            default: LinePrinter(output: arguments.console.output)
            }
        for record in graph { try printer.print(record) }
        try printer.finish()
        return .done
    }
}

extension ParsedArguments {
    /// The flattening that the options describe.
    fileprivate func flattening(of path: String) throws -> Flattening {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let type = try textIfPresent("type") ?? (path == OpenFile.standardInput ? "root" : name)
        var flattening = Flattening(rootType: type)
        flattening.idKey = try text("id-key")
        flattening.locationKeys = Set(try texts("location"))
        if try flag("canonical-locations") { flattening.canonicalizesLocations = true }
        flattening.ignoredKeys = Set(try texts("ignore"))
        if let file = try textIfPresent("mapping") { flattening.types = try mapping(in: file) }
        for text in try texts("map") {
            // A key may be empty or contain an equals sign, a type may not.
            let scalars = text.unicodeScalars
            guard let sign = scalars.lastIndex(of: "="), scalars.index(after: sign) < scalars.endIndex else {
                throw UsageError("option '--map' is KEY=TYPE, not '\(text)'")
            }
            flattening.types[String(scalars[..<sign])] = String(scalars[scalars.index(after: sign)...])
        }
        return flattening
    }

    private func mapping(in file: String) throws -> [String: String] {
        do {
            let document = try JSONDocument(try Data(contentsOf: file))
            guard case .object(let object) = document.root.content else {
                throw JSONError(
                    reason: "found \(document.root.kind), expected an object with a type for each key",
                    place: document.place(at: document.root.offset))
            }
            return try zip(object.keys, object.values).reduce(into: [:]) { types, member in
                guard case .text(let type) = member.1.content else {
                    throw JSONError(
                        reason: "found \(member.1.kind), expected the type of '\(member.0)' as a string",
                        place: document.place(at: member.1.offset))
                }
                types[member.0] = type
            }
        } catch let error as JSONError {
            throw InputError(input: file, reason: "\(error)")
        }
    }
}

extension Data {
    /// All bytes of a file or of standard input.
    ///
    /// - Throws: ``InputError``.
    fileprivate init(contentsOf path: String) throws {
        let file = try OpenFile(path)
        do {
            self = try file.contents()
        } catch let error as ReadError {
            throw InputError(input: file.name, reason: "\(error)")
        }
    }
}
