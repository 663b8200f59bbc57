import NestedRecords
import NestedRecordsFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Command {
    /// Saves lines as records.
    static let importLines = Command(
        name: "import",
        summary: "Saves lines of typed JSON in a record file",
        discussion: """
            Without --batch all records are saved or none, and are held in memory until then. A record takes the place \
            of the one that the file has, unless --if-unchanged: then its change tag must be that of the record in \
            the file, and without one there must be no such record.

            The same record twice is saved once. Another one with its ID is an error in the same batch; from a later
            batch it takes its place.
            """,
        examples: [
            Example("records import school.records < school.jsonl", "All or nothing"),
            Example("records import world.records world.jsonl --batch 10000", "In bounded memory"),
        ],
        arguments: [
            Argument("FILE", "A record file; it is made if it is not there.", kind: .file),
            Argument("INPUT", "A file of lines, a record file, or '-' (the default).", .optional, kind: .file),
        ],
        options: [
            .value("batch", "b", as: "COUNT", "Save so many records at a time."),
            .flag("if-unchanged", nil, "Save only new records, and known versions of others."),
        ]
    ) { arguments in
        let size = try arguments.integerIfPresent("batch", in: 1...Int.max) ?? .max
        let policy: SavePolicy = try arguments.flag("if-unchanged") ? .ifUnchanged : .overwrite
        let input = try RecordInput(try arguments.textIfPresent("INPUT") ?? OpenFile.standardInput)
        let path = try arguments.pathOfRecordFile("FILE")
        var saving = try BatchedImport(into: path, from: input.name, size: size, policy: policy) {
            try arguments.openForWriting(path)
        }
        let progress = try await arguments.progress("Importing", of: input)
        defer { progress?.finish() }
        do {
            for try await record in input.records() {
                try await saving.add(record)
                progress?.advance()
            }
            try await saving.finish()
        } catch {
            if saving.count > 0 { throw PartialImport(path: path, count: saving.count, reason: error) }
            throw error
        }
        try arguments.console.output.write(
            "saved \(saving.count.grouped) \(saving.count == 1 ? "record" : "records") in \(path)".visible + "\n")
        return .done
    }
}

/// Records on their way into a file.
private struct BatchedImport {
    let path: String
    let input: String
    let size: Int
    let policy: SavePolicy
    let open: () throws -> FileRecordDatabase
    private var batch: [Record] = []
    private var positions: [Record.ID: Int] = [:]
    private var database: FileRecordDatabase?

    /// How many are saved.
    private(set) var count = 0

    /// Opens the file if it is there.
    ///
    /// Else it is made when there is something to save: records that cannot be read leave no empty file behind.
    init(
        into path: String, from input: String, size: Int, policy: SavePolicy,
        open: @escaping () throws -> FileRecordDatabase
    ) throws {
        (self.path, self.input, self.size, self.policy, self.open) = (path, input, size, policy, open)
        if access(path, F_OK) == 0 { database = try open() }
    }

    /// Adds a record, unless it is in the batch already.
    ///
    /// - Throws: ``InputError`` if the batch has another one with its ID, and the errors of saving.
    mutating func add(_ record: Record) async throws {
        if let position = positions[record.id] {
            guard try batch[position].isSame(as: record) else {
                throw InputError(input: input, reason: "\(RepeatedRecord(id: record.id))")
            }
            return
        }
        positions[record.id] = batch.count
        batch.append(record)
        if batch.count >= size { try await save() }
    }

    mutating func finish() async throws {
        try await save()
        try await database?.close()
    }

    private mutating func save() async throws {
        let database = try self.database ?? open()
        self.database = database
        _ = try await database.modifyRecords(saving: batch, deleting: [], savePolicy: policy)
        count += batch.count
        batch.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
    }
}

/// An import in batches of which a later one failed.
private struct PartialImport: Error, CustomStringConvertible {
    let path: String
    let count: Int
    let reason: any Error

    var description: String {
        "\(ErrorLine.text(of: reason)); \(count.grouped) records before that are saved in \(path)"
    }
}
