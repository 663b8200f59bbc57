import Foundation
import NestedRecords

extension Command {
    /// Converts nested JSON to records.
    static let flatten = Command(
        name: "flatten",
        summary: "Converts nested JSON to flat records",
        discussion: """
            Reads any JSON, also lines of JSON, and guesses what its records are. Objects become records of a type if \
            all objects of their kind have an identifier, such as 'id' or 'name'. A type has the name of its key in \
            the singular: 'cities' gives City. Keys whose objects are alike give one type. An object whose members are \
            like each other is a collection, whose keys are names. The objects of a list at or near the root are named \
            by their positions if they are without identifiers. Objects that say their type, such as by 'resourceType', \
            'type' or the 'model' of a fixture, are of this type. Strings that are dates or locations in every object \
            become such values, and so do MongoDB's {"$date": …} and {"$numberLong": …}. Values become references if \
            they name a record with its type ("Patient/1", a "$ref" to a part of the document, an object with a type \
            and an identifier), or if they are all names of records: of the type that their key names ("ArtistId", \
            "keeper"), or of any if these are six strings with three names, two paths, or strings from 12 characters \
            on. Others are reported as possible references. All other values stay in the fields of the enclosing \
            record, and what no record encloses is one record of the type Document.

            The guess is printed on standard error, together with the options that say the same. A KEY in an option \
            may also be a path from that report, such as /countries/[]/cities/[].

            The first record has what 'nest' needs to write the same document again.

            With --exactly nothing is guessed: each object with a string or an integer under 'id', or under the key \
            from --id-key, becomes a record, whose type is the key of its property, or the type from --map. The type \
            of the outermost records is the name of the file, or the type from --type.

            With --into the records are saved in a record file or another database, all or none. If it has \
            records with other content, the command ends with an error that names them; --overwrite replaces them. If \
            it had some of them, the numbers of new, changed and unchanged records are printed on standard error.
            """,
        examples: [
            Example("records flatten Samples/school.json", "The records, printed"),
            Example("records flatten school.json | records nest -", "The same document again"),
            Example(
                "records flatten school.json --map students=Person --into school.records",
                "The records with another type, saved"),
        ],
        arguments: [Argument("INPUT.json", "A JSON file, or '-' for standard input.", kind: .file)],
        options: [
            .value("into", "o", as: "FILE", kind: .file, "Save the records in this database, a path or an address."),
            .overwrite,
            .value("type", "t", as: "TYPE", "The type of the outermost records."),
            .value(
                "map", "m", as: "KEY=TYPE", isRepeatable: true, "The type of the objects under a key."),
            .value(
                "id-key", as: "[TYPE=]KEY", isRepeatable: true,
                "The key of the identifiers, of a type or of all; 'sys.id' is inside a member, ':key' and ':position' mean "
                    + "an object's own."),
            .value("embed", as: "KEY", isRepeatable: true, "Do not turn objects under this key into records."),
            .value(
                "location", "l", as: "KEY", isRepeatable: true,
                "Strings of the form \"latitude;longitude\" under this key become locations."),
            .flag(
                "canonical-locations", nil, "Also store strings as locations that read back in another spelling."),
            .flag("canonical-uuids", nil, "Name records by UUIDs in upper case, as a Swift type with a UUID does."),
            .value("date", as: "KEY", isRepeatable: true, "Strings in ISO 8601 under this key become dates."),
            .value(
                "refer", as: "FIELD=TYPE", isRepeatable: true,
                "Strings and integers under this key that are names of records of the type become references."),
            .flag("stated-references", nil, "Make references only of the values that --refer states."),
            .value("ignore", as: "KEY", isRepeatable: true, "Read the document as if it had no values under this key."),
            .value(
                "mapping", as: "FILE.json", kind: .file,
                "Use a saved mapping, and guess nothing."),
            .value("save-mapping", as: "FILE.json", kind: .file, "Save the mapping in a new file."),
            .noUndo, .flag("dry-run", nil, "Only report the guess."),
            .flag("quiet", "q", "Do not report the guess."),
            .flag("exactly", nil, "Guess nothing: types are keys, and only objects with an identifier are records."),
            RecordFormat.option([.table, .jsonl, .json]),
        ]
    ) { arguments in
        let path = try arguments.text("INPUT.json")
        let format = try arguments.format(onTerminal: .table)
        let target = try arguments.textIfPresent("into") == nil ? nil : arguments.pathOfRecordFile("into")
        let document = try await arguments.showing("Reading") { try arguments.guessedDocument(of: path) }
        let isWanted = try arguments.flag("dry-run") || document.guess != nil && !arguments.flag("exactly")
        if isWanted, try !arguments.flag("quiet") {
            let report = GuessReport(document: document, terminal: arguments.console.statusLine.terminal)
            for line in try report.lines { arguments.console.statusLine.print(line) }
        }
        try arguments.printHints(try document.marked.hints)
        if let file = try arguments.textIfPresent("save-mapping") {
            try OpenFile.checkIsNew(file)
            try OpenFile.write(try document.mapping.readableJSON, to: file)
        }
        if try arguments.flag("dry-run") { return .done }
        let canonicalizes = try arguments.flag("canonical-locations")
        if let target {
            return try await arguments.showing("Saving") {
                var records: [Record] = []
                try document.forEachRecord(canonicalizesLocations: canonicalizes) { records.append($0) }
                return try await arguments.save(try RecordGraph(records), into: target)
            }
        }
        let progress = arguments.barOfOutput("Writing")
        defer { progress?.finish() }
        var printer = arguments.printer(format)
        try document.forEachRecord(canonicalizesLocations: canonicalizes) { record in
            // People see the record of the document only if they ask for it.
            if format != .table || !record.id.isReserved { try printer.print(record) }
            progress?.advance()
        }
        try printer.finish()
        return .done
    }
}

extension ParsedArguments {
    /// Saves records, and prints how many of each type.
    fileprivate func save(_ graph: RecordGraph, into target: String) async throws -> ExitStatus {
        let database = try await undoable(openForWriting(target), at: target, fills: true)
        let (file, source) = (try ServerAddress.shown(target), OpenFile.name(of: try text("INPUT.json")))
        var (counts, replaced) = (SaveCounts(), [Record.ID]())
        let wanted = try await counts.add(Array(graph), in: database, named: file) { replaced.append($0) }
        if !replaced.isEmpty, try !flag("overwrite") {
            throw InputError.replacing(
                replaced, in: file, by: source, hint: "'--map KEY=TYPE' makes records of another type")
        }
        if !wanted.isEmpty { try await database.save(try RecordGraph(wanted), savePolicy: .ifUnchanged) }
        try await finish(database)
        if let text = counts.text { console.statusLine.print(text) }
        let shown = graph.filter { !$0.id.isReserved }
        let types = Dictionary(grouping: shown, by: \.id.type).map { "\($0) \($1.count.grouped)" }.sorted()
        try console.output.write(
            "saved \(shown.count.countedRecords) in \(file): \(types.joined(separator: ", "))".visible + "\n")
        try printUndo(of: database)
        return .done
    }

    fileprivate func printer(_ format: RecordFormat) -> any RecordPrinter {
        switch format {
        case .table: TablePrinter(console: console, type: nil, fields: nil)
        case .json: ListPrinter(output: console.output)
        default: LinePrinter(output: console.output)
        }
    }

    /// The document at a path with the mapping that the options state, and the guess for the rest.
    fileprivate func guessedDocument(of path: String) throws -> GuessedDocument {
        var options = GuessOptions(path: OpenFile.path(path))
        var given: Mapping?
        options.rootType = try textIfPresent("type")
        if let file = try textIfPresent("mapping") {
            for option in ["type", "map", "id-key", "embed", "location", "date", "refer", "ignore"] {
                guard try texts(option).isEmpty else {
                    throw UsageError("option '--\(option)' changes a guess, and option '--mapping' leaves none")
                }
            }
            given = try Mapping(json: String(decoding: try OpenFile.bytes(of: file), as: UTF8.self), of: file)
        }
        options.isExact = try flag("exactly")
        options.canonicalizesUUIDs = try flag("canonical-uuids")
        options.types = try pairs("map").map { ($0.0, $0.1) }
        options.references = try pairs("refer").map { ($0.0, $0.1) }
        options.hasOnlyStatedReferences = try flag("stated-references")
        for type in options.types.map(\.type) + [options.rootType].compactMap(\.self) {
            do {
                _ = try Record.ID(type: type, name: "1")
            } catch {
                throw UsageError("'\(type)' cannot be a type: \(error)")
            }
            if Record.ID.isReserved(type: type) {
                throw UsageError("the type '\(type)' is reserved for the library")
            }
        }
        options.identifiers = try texts("id-key").map { text in
            let parts = text.unicodeScalars.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : (nil, text)
        }
        options.locations = try texts("location")
        options.dates = try texts("date")
        options.embedded = try texts("embed")
        options.ignored = try texts("ignore")
        return try GuessedDocument(try OpenFile.bytes(of: path), of: OpenFile.name(of: path), options, given)
    }

    /// The values of an option of the form KEY=TYPE.
    func pairs(_ option: String) throws -> [(String, String)] {
        try texts(option).map { text in
            // A key may be empty or contain an equals sign, a type may not.
            let scalars = text.unicodeScalars
            guard let sign = scalars.lastIndex(of: "="), scalars.index(after: sign) < scalars.endIndex else {
                throw UsageError("option '--\(option)' must have the form KEY=TYPE, not '\(text)'")
            }
            return (String(scalars[..<sign]), String(scalars[scalars.index(after: sign)...]))
        }
    }
}
