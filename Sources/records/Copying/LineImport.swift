@_spi(Engines) import NestedRecords

extension ParsedArguments {
    /// Saves lines as records: all or none, or batches.
    func saveLines(of input: RecordInput) async throws -> ExitStatus {
        let size = try integerIfPresent("batch", in: 1...Int.max) ?? .max
        let takesTags = try flag("if-unchanged")
        let overwrites = try flag("overwrite") || takesTags
        let folder = try textIfPresent("assets").map { AssetFolder(path: $0) }
        let path = try text("TO")
        let name = try ServerAddress.shown(path)
        // Creates the file with the first page, so that unreadable input leaves no empty file.
        let isThere = try ServerAddress(path) != nil || OpenFile.size(at: path) != 0
        let open = {
            try await undoable(openForWriting(path), at: path, isOneBatch: size == .max, fills: true)
        }
        var database = isThere ? try await open() : nil
        let progress = try await bar("Importing", of: input)
        defer { progress?.finish() }
        var pages = RecordPages(of: input.records(withDocument: true), count: size, byteCount: .max, progress: progress)
        var (counts, digest, writer) = (SaveCounts(), RecordDigest(), RecordWriter())
        do {
            while let page = try await input.naming({ try await pages.next() }) {
                try DocumentRecord.check(page, of: input.name)
                for record in page where record.id.isOfAssets || record.id.isOfUndo {
                    let reason = "the record of a content, or of 'undo'; contents come with --assets"
                    throw InputError(input: input.name, reason: "has \(record.id), \(reason)")
                }
                let target = if let database { database } else { try await open() }
                database = target
                try await folder?.add(contentsOf: page, to: RecordStore(target).assets)
                var next = counts
                let wanted = try await next.add(page, in: target, named: name) { id in
                    if !overwrites { throw InputError.replacing([id], in: name, by: input.name) }
                }
                _ = try await target.commit(
                    RecordBatch(saving: takesTags ? page : wanted, savePolicy: .ifUnchanged))
                counts = next
                let saved = try await target.recordsByID(for: page.map(\.id))
                for record in page {
                    let bytes = try saved[record.id]?.canonicalBytes(&writer)
                    // The time of saving is in no line.
                    guard let bytes, try record.hasServerTimestamp || bytes == record.canonicalBytes(&writer) else {
                        throw InputError(input: name, reason: "\(record.id) was changed by another program")
                    }
                    digest.add(bytes, count: record.id.isReserved ? 0 : 1)
                }
            }
            let target = if let database { database } else { try await open() }
            database = target
            try await finish(target)
        } catch {
            if counts.total > 0 { throw PartialSave(target: name, count: counts.total, reason: error) }
            throw error
        }
        if let text = counts.text { console.statusLine.print(text) }
        try console.output.write("saved \(counts.total.countedRecords) in \(name)".visible + "\n")
        try console.output.write("verified \(digest.count.countedRecords), digest \(digest)\n")
        try printHints(counts.hints)
        try database.map(printUndo)
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
