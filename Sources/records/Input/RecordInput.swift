import NestedRecords
import NestedRecordsFile

/// The records that a command reads: those of a database, or of lines of typed JSON.
struct RecordInput: Sendable {
    /// A database, or lines.
    enum Source: Sendable {
        case database(any StoredDatabase)
        case lines(OpenFile)
    }

    /// Where the records are.
    let source: Source

    /// The name for errors.
    let name: String

    /// Opens an input, and finds out which of them it is.
    ///
    /// - Parameter path: The path of a record file, of a database of SQLite or of a file of lines, the address of a
    ///   PostgreSQL server, or `-` for lines on standard input.
    /// - Throws: `UsageError`, ``InputError``, and errors of a database.
    init(_ path: String) async throws {
        if let address = try ServerAddress(path) {
            name = address.shown
            source = .database(try await address.database(for: .reading))
            return
        }
        let file = try OpenFile(path)
        name = file.name
        if path != OpenFile.standardInput, file.isSQLite {
            source = .database(try OpenFile.sqliteDatabase(path, for: .reading))
            return
        }
        if file.isRegular, path != OpenFile.standardInput, let database = try Self.database(path) {
            source = .database(database)
            return
        }
        let space: [UInt8] = [0x09, 0x0A, 0x0D, 0x20]
        // Lines begin with an object, which a byte-order mark may precede.
        if path != OpenFile.standardInput, let byte = file.firstByte, byte != 0x7B, byte != 0xEF, !space.contains(byte)
        {
            throw InputError(input: path, reason: "is neither a record file nor lines of typed JSON")
        }
        source = .lines(file)
    }

    private static func database(_ path: String) throws -> FileRecordDatabase? {
        do {
            return try FileRecordDatabase(path: path, options: .readOnly)
        } catch RecordDatabaseError.Code.notARecordDatabase {
            return nil
        }
    }

    /// Whether the records can be gone through a second time.
    var canBeReadAgain: Bool {
        switch source {
        case .database: true
        // Standard input need not have begun at the start of its file.
        case .lines(let file): file.isRegular && file.name != OpenFile.name(of: OpenFile.standardInput)
        }
    }

    /// Goes back to the first record, where the input ``canBeReadAgain``.
    func rewind() {
        if case .lines(let file) = source { file.rewind() }
    }

    /// The records one after the other, in the order of the input.
    ///
    /// - Parameter type: The record type; nil for all.
    /// - Returns: The records. Those of lines can be gone through once.
    func records(ofType type: String? = nil) -> RecordSequence {
        switch source {
        case .database(let database): database.records(ofType: type)
        case .lines(let file): RecordSequence { RecordLines(file, type) }
        }
    }

    private final class RecordLines: RecordSequence.Source {
        private let file: OpenFile
        private let type: String?
        private var reader: RecordLineReader

        init(_ file: OpenFile, _ type: String?) {
            (self.file, self.type) = (file, type)
            reader = RecordLineReader(file)
        }

        func next() async throws -> Record? {
            while let record = try RecordInput.next(&reader, in: file) {
                if type == nil || record.id.type == type { return record }
            }
            return nil
        }
    }

    /// The next record of lines, with the input's name in its errors.
    static func next(_ reader: inout RecordLineReader, in file: OpenFile) throws -> Record? {
        do {
            return try reader.next()
        } catch let error as RecordLineError {
            throw InputError(input: file.name, reason: reason(of: error))
        } catch let error as ReadError {
            throw InputError(input: file.name, reason: "\(error)")
        }
    }

    /// What is wrong with a line, and what to do if it is another kind of input.
    static func reason(of error: RecordLineError) -> String {
        error.code == .incompleteLine ? "\(error): nested JSON is for 'records flatten'" : "\(error)"
    }

    /// The types of the records in the order of their names.
    ///
    /// - Parameter database: What ``database()`` gave.
    /// - Throws: `RecordDatabaseError`.
    func types(of database: any RecordDatabase) async throws -> [String] {
        switch database {
        case let database as any StoredDatabase: try await database.recordCounts().keys.sorted()
        case let records as LoadedRecords: records.types
        default: []
        }
    }

    /// The records as a database, to fetch by ID; lines are held in memory.
    ///
    /// - Throws: ``InputError``.
    func database() throws -> any RecordDatabase {
        switch source {
        case .database(let database): database
        case .lines(let file): try LoadedRecords(file)
        }
    }
}

extension RecordLineReader {
    /// Reads the lines of a file from its place on.
    ///
    /// - Parameter file: The file. Reading throws ``ReadError``, and ``InputError`` for a record file.
    init(_ file: OpenFile) {
        var isFirst = true
        self.init { buffer in
            let count = try systemRead(file.descriptor, into: buffer)
            if isFirst, UnsafeRawBufferPointer(rebasing: buffer[..<count]).starts(with: "NRDB".utf8) {
                let reason = "found a record file, expected lines of typed JSON: a record file is read by its path"
                throw InputError(input: file.name, reason: "line 1, column 1: \(reason)")
            }
            isFirst = false
            return count
        }
    }
}

/// Why an input cannot be read: with its name, since a command may have several.
struct InputError: Error, Hashable, CustomStringConvertible {
    /// The file, as the user named it, or "standard input".
    let input: String

    /// What is wrong, with line and column where there are lines.
    let reason: String

    /// The input and the reason in one line.
    var description: String { "\(input): \(reason)" }
}
