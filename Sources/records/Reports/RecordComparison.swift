@_spi(Engines) import NestedRecords
import NestedRecordsSync

/// Compares the records of two databases, page by page.
struct RecordComparison {
    /// The older and the newer records.
    let old: any RecordDatabase
    let new: any RecordDatabase

    /// Whether metadata is compared.
    let comparesMetadata: Bool

    /// Whether contents are compared bit by bit; otherwise numbers of equal value are equal.
    let isExact: Bool

    /// Finds all differences: first removed and changed records in the order of the older ones, then added records in
    /// the order of the newer ones.
    ///
    /// - Parameters:
    ///   - newCount: The number of newer records, if known: the search for added records stops when all are found.
    ///   - progress: The bar that counts the records of both databases.
    ///   - body: Called with each difference.
    func forEachDifference(
        newCount: Int?, progress: ProgressBar, _ body: (RecordDifference) throws -> Void
    ) async throws {
        var common = 0
        var oldPages = RecordPages(of: Self.records(of: old), progress: progress)
        while let (page, found) = try await oldPages.next(with: new) {
            common += found.count
            for difference in try differences(of: page, in: found) { try body(difference) }
        }
        if common == newCount { return progress.advance(by: common) }
        var newPages = RecordPages(of: Self.records(of: new), progress: progress)
        while let (page, found) = try await newPages.next(with: old) {
            for record in page where found[record.id] == nil { try body(.added(record.id)) }
        }
    }

    /// All records without those that a synchronization, an engine or `undo` keeps for itself: each database has its own.
    private static func records(of database: any RecordDatabase) -> RecordSequence {
        database.records(ofType: nil, including: .system).filtered {
            !$0.id.isOfSynchronization && !$0.id.isOfAssets && !$0.id.isOfUndo
        }
    }

    private func differences(of page: [Record], in found: [Record.ID: Record]) throws -> [RecordDifference] {
        let kept = page.filter { found[$0.id] != nil }
        let fields = try changes(from: kept, to: kept.compactMap { found[$0.id] })
        let metadata =
            comparesMetadata
            ? try changes(
                from: kept.map { try $0.metadataRecord }, to: kept.compactMap { try found[$0.id]?.metadataRecord })
            : [:]
        return page.compactMap { record in
            let id = record.id
            if found[id] == nil { return .removed(id) }
            guard fields[id] != nil || metadata[id] != nil else { return nil }
            return .changed(id, fields: fields[id] ?? [], metadata: metadata[id] ?? [])
        }
    }

    /// The differing fields by record.
    private func changes(
        from old: [Record], to new: [Record]
    ) throws -> [Record.ID: [RecordGraphDifference.FieldChange]] {
        let changed = try RecordGraph(new, roots: []).difference(from: RecordGraph(old, roots: [])).changes
        let changes = Dictionary(changed.map { ($0.new.id, $0.fields) }) { first, _ in first }
        if isExact { return changes }
        // The differing fields again, with equal numbers in one form.
        let unequal = try RecordGraph(changed.map { try $0.new.withIntegers(in: $0.fields) }, roots: [])
            .difference(from: RecordGraph(changed.map { try $0.old.withIntegers(in: $0.fields) }, roots: [])).changes
        return Dictionary(
            unequal.map { record in
                let names = Set(record.fields.map(\.name))
                return (record.new.id, changes[record.new.id]?.filter { names.contains($0.name) } ?? [])
            }
        ) { first, _ in first }
    }
}

extension Record {
    /// The record with only these fields, and with integral floating-point numbers as integers.
    fileprivate func withIntegers(in changes: [RecordGraphDifference.FieldChange]) throws -> Record {
        // Before the recursion: the check refuses values whose nesting would overflow the stack.
        try RecordWriter.check([self])
        let names = Set(changes.map(\.name))
        return try Record(
            id: id, fields: Fields(fields.filter { names.contains($0.name) }.map { ($0.name, $0.value.withIntegers) }))
    }
}

extension Record.Value {
    fileprivate var withIntegers: Record.Value {
        mapLeaves { leaf in
            guard case .double(let number) = leaf, let integer = Int64(exactly: number) else { return leaf }
            return .int(integer)
        }
    }
}

extension Record {
    /// The metadata as the fields of a record, to compare them as fields.
    fileprivate var metadataRecord: Record {
        get throws {
            guard let metadata else { return try Record(id: id) }
            let fields: Fields = [
                "changeTag": .string(metadata.changeTag), "creationDate": .date(metadata.creationDate),
                "modificationDate": .date(metadata.modificationDate),
            ]
            return try Record(id: id, fields: fields)
        }
    }
}
