import NestedRecords

extension Command {
    /// Saves lines as records.
    static let importLines = Command(
        name: "import",
        summary: "Saves lines of typed JSON in a database",
        discussion: """
            Without --batch all records are saved or none, and are held in memory until then. A record takes the place \
            of the one that the database has, unless --if-unchanged: then its change tag must be that of the record in \
            the database, and without one there must be no such record. Every record that is saved gets a new change \
            tag, and the present as the date of its modification; a new one also as that of its creation.

            The same record twice is saved once. Another one with its ID is an error in the same batch; from a later
            batch it takes its place.
            """,
        examples: [
            Example("records import school.records < school.jsonl", "All or nothing"),
            Example("records import world.records world.jsonl --batch 10000", "In bounded memory"),
        ],
        arguments: [
            Argument(
                "FILE", "Where to save: see TO of 'records help copy'; it is made if it is not there.", kind: .file),
            Argument("INPUT", "A file of lines, a database, or '-' (the default).", .optional, kind: .file),
        ],
        options: [
            .value("batch", "b", as: "COUNT", "Save so many records at a time."),
            .flag("if-unchanged", nil, "Save only new records, and known versions of others."),
        ]
    ) { arguments in
        let size = try arguments.integerIfPresent("batch", in: 1...Int.max) ?? .max
        let policy: SavePolicy = try arguments.flag("if-unchanged") ? .ifUnchanged : .overwrite
        let input = try await RecordInput(try arguments.textIfPresent("INPUT") ?? OpenFile.standardInput)
        let path = try arguments.pathOfRecordFile("FILE")
        let name = try ServerAddress.shown(path)
        // A file is made when there is something to save: records that cannot be read leave no empty file behind.
        let isThere = try ServerAddress(path) != nil || OpenFile.size(at: path) != 0
        var database = isThere ? try await arguments.openForWriting(path) : nil
        let progress = try await arguments.progress("Importing", of: input)
        defer { progress?.finish() }
        var pages = RecordPages(of: input.records(), count: size, byteCount: .max, progress: progress)
        var count = 0
        do {
            while let page = try await input.naming({ try await pages.next() }) {
                let target = if let database { database } else { try await arguments.openForWriting(path) }
                database = target
                _ = try await target.modifyRecords(saving: page, deleting: [], savePolicy: policy)
                count += page.count
            }
            let target = if let database { database } else { try await arguments.openForWriting(path) }
            try await target.close()
        } catch {
            if count > 0 { throw PartialSave(target: name, count: count, reason: error) }
            throw error
        }
        try arguments.console.output.write("saved \(count.countedRecords) in \(name)".visible + "\n")
        return .done
    }
}

/// Records that were saved in batches of which a later one failed.
struct PartialSave: Error, CustomStringConvertible {
    let target: String
    let count: Int
    let reason: any Error

    var description: String {
        "\(ErrorLine.text(of: reason)); \(count.grouped) records before that are saved in \(target)"
    }
}
