@_spi(Engines) import NestedRecords
import NestedRecordsFile

extension ParsedArguments {
    /// Prints the numbers of records, fields, bytes and references by type.
    func printSizes(of input: RecordInput) async throws {
        let progress = bar("Counting", total: try await input.count())
        defer { progress.finish() }
        var counts = TypeCounts()
        var totals = Totals()
        switch input.source {
        case .database(let database):
            // A record file reports its own sizes.
            let file = database as? FileRecordDatabase
            var writer = RecordWriter()
            for try await record in input.namedRecords() {
                counts.add(record, bytes: file == nil ? try writer.bytes(of: record).count : 0)
                progress.advance()
            }
            guard let statistics = try await file?.statistics() else {
                totals.add(counts)
                try await totals.addAssets(of: database)
                totals.add("bytes", counts.total.bytes)
                break
            }
            if let file { warn(of: file) }
            for type in statistics.types where !Record.ID.isReserved(type: type.type) {
                counts.set(bytes: type.byteCount, ofType: type.type)
            }
            totals.add(counts)
            try await totals.addAssets(of: database)
            totals.add("live bytes", statistics.liveByteCount)
            totals.add("dead bytes", statistics.deadByteCount)
            totals.add("file size", statistics.fileSize)
            totals.add("compactions", statistics.compactionCount)
        case .document:
            var writer = RecordWriter()
            for try await record in input.records() { counts.add(record, bytes: try writer.bytes(of: record).count) }
            totals.add(counts)
            totals.add("bytes", counts.total.bytes)
        case .lines(let file):
            var reader = RecordLineReader(file)
            while let record = try RecordInput.next(&reader, in: file) {
                if record.id.type == DocumentRecord.recordType { continue }
                counts.add(record, bytes: reader.lineLength)
                progress.advance()
            }
            totals.add(counts)
            totals.add("bytes", counts.total.bytes)
        }
        try console.output.write(try counts.table(for: console.outputTerminal) + "\n" + totals.text)
    }
}

extension Totals {
    /// Adds the contents of assets, if there are any.
    fileprivate mutating func addAssets(of database: any RecordDatabase) async throws {
        guard database.assets != nil else { return }
        var (count, bytes) = (0, 0)
        try await RecordStore(database).assets.forEachContent { content in
            count += 1
            bytes += Int(content.size)
        }
        if count == 0 { return }
        add("assets", count)
        add("bytes of assets", bytes)
    }

    /// Adds the totals that every input has.
    fileprivate mutating func add(_ counts: TypeCounts) {
        let total = counts.total
        add("types", counts.types.values.count { $0.records > 0 })
        add("records", total.records)
        add("fields", total.fields)
        add("references", total.referencesOut)
    }
}
