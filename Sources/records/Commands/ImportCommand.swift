import NestedRecords

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
        var saving = try BatchedImport(into: path, size: size, policy: policy)
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
    let size: Int
    let policy: SavePolicy
    private var batch: [Record] = []
    private var database: FileRecordDatabase?

    /// How many are saved.
    private(set) var count = 0

    /// Opens the file if it is there.
    ///
    /// Else it is made when there is something to save: records that cannot be read leave no empty file behind.
    init(into path: String, size: Int, policy: SavePolicy) throws {
        (self.path, self.size, self.policy) = (path, size, policy)
        if access(path, F_OK) == 0 { database = try FileRecordDatabase(path: path) }
    }

    mutating func add(_ record: Record) async throws {
        batch.append(record)
        if batch.count >= size { try await save() }
    }

    mutating func finish() async throws {
        try await save()
        try await database?.close()
    }

    private mutating func save() async throws {
        let database = try self.database ?? FileRecordDatabase(path: path)
        self.database = database
        _ = try await database.modifyRecords(saving: batch, deleting: [], savePolicy: policy)
        count += batch.count
        batch.removeAll(keepingCapacity: true)
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
