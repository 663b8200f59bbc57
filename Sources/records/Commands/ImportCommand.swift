import NestedRecords

extension Command {
    /// Saves lines as records.
    static let importLines = Command(
        name: "import",
        summary: "Saves lines of typed JSON in a database",
        discussion: """
            Without --batch the command holds all records in memory, and saves all or none. If the database has a \
            record with other content, the command ends with an error that names it; --overwrite replaces it. With \
            --if-unchanged a record is replaced only if both have the same change tag; \
            a record without a change tag must be new. Every saved record gets a new change tag, and the current time \
            as its modification date; a new record also as its creation date. If the database had some of the records, \
            the numbers of new, changed and unchanged ones are printed on standard error.

            The contents of assets that the database lacks are read from the folder of --assets, where 'export --assets'
            has written them. A record with an asset whose content is missing is not saved.

            A record that occurs twice is saved once. A different record with the same ID is an error in the same
            batch; in a later batch it replaces the first one.
            """,
        examples: [
            Example("records import school.records < school.jsonl", "All or nothing"),
            Example("records import world.records world.jsonl --batch 10000", "In bounded memory"),
        ],
        arguments: [
            Argument(
                "FILE", "The database, as TO in 'records help copy'; it is created if it does not exist.", kind: .file),
            Argument("INPUT", "A file of lines, a database, or '-' (the default).", .optional, kind: .file),
        ],
        options: [
            .value("batch", "b", as: "COUNT", "Save this number of records at a time."),
            .value("assets", nil, as: "FOLDER", "Read the contents of assets from this folder."),
            .overwrite,
            .flag("if-unchanged", nil, "Save only new records, and records that did not change since they were read."),
        ]
    ) { arguments in
        let size = try arguments.integerIfPresent("batch", in: 1...Int.max) ?? .max
        let policy: SavePolicy = try arguments.flag("if-unchanged") ? .ifUnchanged : .overwrite
        let overwrites = try arguments.flag("overwrite") || policy == .ifUnchanged
        let folder = try arguments.textIfPresent("assets").map { AssetFolder(path: $0) }
        let input = try await RecordInput(try arguments.textIfPresent("INPUT") ?? OpenFile.standardInput)
        let path = try arguments.pathOfRecordFile("FILE")
        let name = try ServerAddress.shown(path)
        // Creates the file with the first page, so that unreadable input leaves no empty file.
        let isThere = try ServerAddress(path) != nil || OpenFile.size(at: path) != 0
        var database = isThere ? try await arguments.openForWriting(path) : nil
        let progress = try await arguments.bar("Importing", of: input)
        defer { progress?.finish() }
        var pages = RecordPages(of: input.records(withDocument: true), count: size, byteCount: .max, progress: progress)
        var counts = SaveCounts()
        do {
            while let page = try await input.naming({ try await pages.next() }) {
                try DocumentRecord.check(page, of: input.name)
                for record in page where record.id.isOfAssets {
                    throw InputError(
                        input: input.name,
                        reason: "has \(record.id), the record of a content; contents come with --assets")
                }
                let target = if let database { database } else { try await arguments.openForWriting(path) }
                database = target
                try await folder?.add(contentsOf: page, to: RecordStore(target).assets)
                var next = counts
                try await next.add(page, in: target, named: name) { id in
                    if !overwrites { throw InputError.replacing(id, in: name, by: input.name) }
                }
                _ = try await target.commit(RecordBatch(saving: page, savePolicy: policy))
                counts = next
            }
            let target = if let database { database } else { try await arguments.openForWriting(path) }
            try await target.close()
        } catch {
            if counts.total > 0 { throw PartialSave(target: name, count: counts.total, reason: error) }
            throw error
        }
        if let text = counts.text { arguments.console.statusLine.print(text) }
        try arguments.console.output.write("saved \(counts.total.countedRecords) in \(name)".visible + "\n")
        try arguments.printHints(counts.hints)
        return .done
    }
}

/// An error after some batches of records were saved.
struct PartialSave: Error, CustomStringConvertible {
    let target: String
    let count: Int
    let reason: any Error

    var description: String {
        "\(ErrorLine.text(of: reason)); \(count.grouped) records before that are saved in \(target)"
    }
}
