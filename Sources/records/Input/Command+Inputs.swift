import NestedRecords
import NestedRecordsFile

extension Command.Argument {
    /// The records to read.
    static let records = Command.Argument(
        "FILE",
        "\(Engine.list()) (see 'records help addresses'), a file of "
            + "typed JSON lines or of any other JSON as 'flatten' reads it, a table in CSV or TSV, a SQLite database of "
            + "another program, or '-' for standard input.",
        kind: .file, options: InputOptions.options)

    /// A database to change, or to read changes from.
    static let database = Command.Argument(
        "FILE", "\(Engine.list(beforeLast: "or ")).", kind: .file)

    /// The type of the records.
    static let type = Command.Argument("TYPE", "Only records of this type.", .optional, kind: .type)

    /// A record file to change.
    static let recordFile = Command.Argument("FILE", "A record file.", kind: .file)
}

extension ParsedArguments {
    /// The ends of names of files that programs take for text.
    private static let suffixesOfText = [
        ".json", ".jsonl", ".ndjson", ".geojson", ".csv", ".tsv", ".tab", ".txt", ".md", ".html", ".xml", ".yaml",
        ".yml",
    ]

    /// The input that an argument names.
    func input(_ name: String = "FILE", documentName: String? = nil) async throws -> RecordInput {
        let path = try text(name)
        let options = try InputOptions(self)
        func read() async throws -> RecordInput {
            try await RecordInput(path, documentName: documentName, options: options)
        }
        // The user may type standard input.
        let input = path == OpenFile.standardInput ? try await read() : try await showing("Reading", while: read)
        try printHints(input.notes)
        return input
    }

    /// The path of a record file to change.
    ///
    /// - Throws: `UsageError` if it is missing, or is standard input.
    func pathOfRecordFile(_ name: String) throws -> String {
        let path = try text(name)
        if path == OpenFile.standardInput {
            throw UsageError("'\(command.name)' needs the path of a record file")
        }
        return path
    }

    /// Opens a database for writing, and creates it if it does not exist.
    ///
    /// Reports the bytes of an unfinished save, which are cut off and kept, on standard error.
    ///
    /// - Parameters:
    ///   - path: A path, or the address of a server.
    ///   - use: What it is opened for.
    ///   - warns: Whether to warn if a record file needs compaction.
    /// - Throws: ``InputError``, also if another process writes the file, and the errors of the database.
    func openForWriting(
        _ path: String, for use: DatabaseUse = .writing, warns: Bool = true
    ) async throws -> any StoredDatabase {
        if path.ends(withOneOf: Self.suffixesOfText), OpenFile.size(at: path) ?? 0 == 0, try ServerAddress(path) == nil
        {
            throw UsageError(
                "'\(path)' would be a database and not text: a new database ends with .records or .sqlite; "
                    + "'records copy FROM - > FILE' prints lines of typed JSON, and 'records query FROM -f csv > FILE' "
                    + "other formats")
        }
        let database = try await DatabasePlace(path).open(for: use)
        guard let file = database as? FileRecordDatabase else { return database }
        if file.recoveredByteCount > 0 {
            let tail = "\(file.recoveredByteCount.grouped) bytes of an unfinished save"
            let text =
                file.recoveredPath.map { "cut \(tail) off the end and saved them in \($0)" }
                ?? "could not save \(tail) in another file; they stay at the end for now"
            notify("\(path): \(text)")
        }
        if warns { warn(of: file) }
        return file
    }

    /// Warns on standard error if a record file could be half as large and cannot be compacted.
    func warn(of database: FileRecordDatabase) {
        guard let warning = database.compactionWarning else { return }
        notify("warning: \(warning)")
    }

    /// An ID that the user gave.
    ///
    /// - Throws: `UsageError` if the string is not an ID.
    func id(_ text: String) throws -> Record.ID {
        do {
            return try Record.ID(text)
        } catch let error as RecordError where error.code == .invalidID {
            throw UsageError("'\(text)' is not an ID such as Person/ada: \(error.reason ?? "\(error)")")
        } catch {
            throw UsageError("'\(text)' is not an ID such as Person/ada: \(ErrorLine.text(of: error))")
        }
    }

    /// A progress bar for reading the records of an input; nil if the output itself goes to the terminal.
    ///
    /// - Parameters:
    ///   - title: The name of the work, such as "Reading".
    ///   - types: The types of the records that are read; none for all.
    func progress(_ title: String, of input: RecordInput, types: [String] = []) async throws -> ProgressBar? {
        console.outputTerminal.isTerminal ? nil : try await bar(title, of: input, types: types)
    }

    /// A progress bar for reading the records of an input; nil without a terminal.
    func bar(_ title: String, of input: RecordInput, types: [String] = []) async throws -> ProgressBar? {
        guard console.statusLine.terminal.isTerminal else { return nil }
        switch input.source {
        case .database(let database):
            return ProgressBar(title, total: try await database.recordCount(ofTypes: types), on: console.statusLine)
        case .document: return nil
        case .lines(let file):
            return ProgressBar(title, part: { file.partRead }, on: console.statusLine)
        }
    }

    /// Opens an existing database for reading.
    ///
    /// - Throws: ``InputError`` also for a file that is not a database.
    func databaseInput() async throws -> RecordInput {
        let path = try pathOfRecordFile("FILE")
        let input = try await RecordInput(path)
        guard case .database = input.source else {
            throw input.notWritable("is not a database; 'records copy' makes one of its records")
        }
        return input
    }

    /// Opens an existing database for writing.
    ///
    /// - Throws: ``InputError`` also for a file that is not a database, which stays as it is.
    func existingDatabase() async throws -> any StoredDatabase {
        // Opening a database for writing creates it if it does not exist.
        try await databaseInput().close()
        return try await openForWriting(try pathOfRecordFile("FILE"))
    }
}
