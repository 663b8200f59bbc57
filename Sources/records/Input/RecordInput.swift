@_spi(Engines) import NestedRecords
import NestedRecordsFile

/// The records that a command reads, from a database or from lines of typed JSON.
struct RecordInput: Sendable {
    /// A database, or lines.
    enum Source: Sendable {
        case database(any StoredDatabase)
        case lines(OpenFile)

        /// The records of a document that is not lines of records, of a table, or of several inputs.
        case document(LoadedRecords)
    }

    /// The source of the records.
    let source: Source

    /// The name for errors.
    let name: String

    /// What could not be read, and why.
    private(set) var notes: [String] = []

    /// Whether the records are in a database that the tool does not write.
    private(set) var isOfOtherProgram = false

    /// Whether the records are in a database with the state of a synchronization.
    func isSynchronized() async throws -> Bool {
        if case .database(let database) = source { try await database.isSynchronized() } else { false }
    }

    /// Opens an input, and detects its kind.
    ///
    /// - Parameters:
    ///   - path: The path of a record file, of a SQLite database or of a file of lines, the address of a
    ///   server, or `-` for lines on standard input. Any other JSON is read as `flatten` reads it, and CSV and the
    ///   tables of a SQLite database of another program as records.
    ///   - documentName: The path that names the root of other JSON; nil for its own.
    ///   - options: How to read it, and what to add.
    init(_ path: String, documentName: String? = nil, options: InputOptions = InputOptions()) async throws {
        try options.check(with: path)
        if options.joins {
            let first = try await RecordInput(path, documentName: documentName, options: options.withoutJoins)
            let (records, notes) = try await options.joined(first)
            (name, self.notes, source) = (first.name, notes, .document(LoadedRecords(records, name: first.name)))
            return
        }
        if try ServerAddress(path) != nil {
            let place = try DatabasePlace(path)
            (name, source) = (place.shown, .database(try await place.open(for: .reading)))
            return
        }
        let file = try OpenFile(path)
        name = file.name
        if file.isRegular, path != OpenFile.standardInput {
            if let database = try await Self.database(path, of: file.engine) {
                source = .database(database)
                return
            }
            #if SQLite
            if file.engine?.name == Engine.sqlite.name {
                let tables = try SQLiteTables(path)
                source = .document(LoadedRecords(tables.records, name: path))
                (notes, isOfOtherProgram) = (tables.notes, true)
                return
            }
            #endif
        }
        if let records = try options.rows(of: path, named: documentName ?? path) {
            source = .document(LoadedRecords(records, name: file.name))
            return
        }
        switch try Self.form(of: file, at: path) {
        case .records: source = .lines(file)
        case .unknown:
            throw OtherFormat.ofFile(path)?.error(at: path)
                ?? InputError(
                    input: file.name, reason: "is neither a record file nor JSON; CSV needs the option --delimiter")
        case .document:
            let bytes = try SourceText.utf8(try file.contents(), of: file.name)
            var (records, options): ([Record], GuessOptions) = (
                [], GuessOptions(path: OpenFile.path(documentName ?? path))
            )
            do {
                var document = try GuessedDocument(bytes, of: file.name, options)
                if let type = document.marked.typeOfEqualLines {
                    options.identifiers = [(type, Mapping.positionName)]
                    document = try GuessedDocument(bytes, of: file.name, options)
                }
                try document.forEachRecord { records.append($0) }
            } catch let error as InputError {
                throw OtherFormat.ofFile(path)?.error(at: path) ?? error
            }
            source = .document(LoadedRecords(records, name: file.name))
        }
    }

    /// The records of an open database.
    init(_ database: any StoredDatabase, named name: String) { (source, self.name) = (.database(database), name) }

    private static func database(_ path: String, of engine: Engine?) async throws -> (any StoredDatabase)? {
        let place = DatabasePlace(path, of: engine ?? .recordFile)
        do {
            return try await place.open(for: .reading)
        } catch RecordDatabaseError.Code.notARecordDatabase {
            return nil
        } catch let error as RecordDatabaseError
            where engine?.name == Engine.sqlite.name && [.readOnly, .cannotOpen].contains(error.code)
        {
            let reason =
                "cannot be read: \(error.reason ?? error.code.rawValue); if it has a write-ahead log, copy both to "
                + "a folder that can be written"
            throw InputError(input: path, reason: reason)
        }
    }

    /// The error of a command that needs a database to write, with the reason for other inputs.
    func notWritable(_ reason: String) -> InputError {
        isOfOtherProgram ? .ofOtherProgram(name) : InputError(input: name, reason: reason)
    }

    /// The name of the only document whose records a database has; nil for other inputs, and for several documents.
    func documentName() async throws -> String? {
        guard case .database(let database) = source else { return nil }
        var names: [String] = []
        for try await record in database.records(ofType: DocumentRecord.recordType) { names.append(record.id.name) }
        return names.count == 1 ? names[0] : nil
    }

    /// Closes a database; SQLite removes its log only if no reader is left.
    func close() async throws { if case .database(let database) = source { try await database.close() } }

    /// Whether the records can be read a second time.
    var canBeReadAgain: Bool {
        switch source {
        case .database, .document: true
        // Standard input may not begin at the start of its file.
        case .lines(let file): file.isRegular && file.name != OpenFile.name(of: OpenFile.standardInput)
        }
    }

    /// Goes back to the first record, if the input ``canBeReadAgain``.
    func rewind() {
        if case .lines(let file) = source { file.rewind() }
    }

    /// The records one by one, in the order of the input.
    ///
    /// - Parameters:
    ///   - type: The record type; nil for all, except those that the library keeps for itself in a database.
    ///   - hasDocument: Whether all records are wanted, also the one that `nest` needs.
    /// - Returns: The records. The records of lines can be iterated once.
    func records(ofType type: String? = nil, withDocument hasDocument: Bool = false) -> RecordSequence {
        switch source {
        case .database(let database): return hasDocument ? Self.all(of: database) : database.records(ofType: type)
        case .lines(let file):
            let lines = RecordSequence { RecordLines(file, type) }
            let isAll = hasDocument || type == DocumentRecord.recordType
            return isAll ? lines : lines.filtered { $0.id.type != DocumentRecord.recordType }
        case .document(let records): return hasDocument ? Self.all(of: records) : records.records(ofType: type)
        }
    }

    /// The records from the first again, if the input ``canBeReadAgain``.
    func recordsAgain(ofType type: String?) -> RecordSequence {
        rewind()
        return records(ofType: type)
    }

    /// The records of a database, except those that the library keeps for itself.
    private static func all(of database: any RecordDatabase) -> RecordSequence {
        database.records(ofType: nil, including: .system).filtered {
            !$0.id.isReserved || $0.id.type == DocumentRecord.recordType
        }
    }

    /// The types of the records, sorted by name, without those that the library keeps for itself.
    ///
    /// - Parameter database: The result of ``database()``.
    func types(of database: any RecordDatabase) async throws -> [String] {
        try await counts(of: database).map(\.type)
    }

    /// The types and the numbers of their records, sorted by name, without those that the library keeps for itself.
    ///
    /// - Parameter database: The result of ``database()``.
    func counts(of database: any RecordDatabase) async throws -> [(type: String, count: Int)] {
        try await Self.counts(of: database)
    }

    static func counts(of database: any RecordDatabase) async throws -> [(type: String, count: Int)] {
        let counts =
            switch database {
            case let database as any StoredDatabase: try await database.recordCounts()
            case let records as LoadedRecords: records.counts
            default: [String: Int]()
            }
        return counts.filter { !Record.ID.isReserved(type: $0.key) }.sorted { $0.key < $1.key }
            .map { (type: $0.key, count: $0.value) }
    }

    /// The records as a database; lines are held in memory.
    func database() throws -> any RecordDatabase {
        switch source {
        case .database(let database): database
        case .lines(let file): try LoadedRecords(file)
        case .document(let records): records
        }
    }
}
