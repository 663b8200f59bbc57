@_spi(Engines) import NestedRecords

/// Records in pages of a bounded size, for memory that does not grow with their number.
struct RecordPages {
    /// The maximum numbers of records and of bytes in a page, not counting the bytes of its last record.
    static let usualCount = 1_000
    static let usualByteCount = 4 << 20

    private var records: RecordSequence.Iterator
    private let count: Int
    private let byteCount: Int
    private let progress: ProgressBar?
    private var writer = RecordWriter()

    /// Begins at the first record.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - count: The maximum number of records in a page.
    ///   - byteCount: The maximum size of a page in bytes of the binary form; `Int.max` for any size.
    ///   - progress: The bar that counts the records.
    init(
        of records: RecordSequence, count: Int = usualCount, byteCount: Int = usualByteCount, progress: ProgressBar?
    ) {
        self.records = records.makeAsyncIterator()
        (self.count, self.byteCount, self.progress) = (count, byteCount, progress)
    }

    /// The next records, without repeated ones; nil after the last one.
    ///
    /// - Throws: Errors of reading, and ``RepeatedRecord`` for different records with one ID in the page.
    mutating func next() async throws -> [Record]? {
        var page: [Record] = []
        var positions: [Record.ID: Int] = [:]
        var bytes = 0
        while page.count < count, bytes < byteCount, let record = try await records.next() {
            progress?.advance()
            if let position = positions[record.id] {
                guard try page[position].isSame(as: record) else { throw RepeatedRecord(id: record.id) }
                continue
            }
            positions[record.id] = page.count
            page.append(record)
            if byteCount < .max { bytes += try writer.bytes(of: record).count }
        }
        return page.isEmpty ? nil : page
    }

    /// The next records, and the records with the same IDs in another database; nil after the last one.
    ///
    /// - Throws: Errors of ``next()`` and the database.
    mutating func next(
        with database: any RecordDatabase
    ) async throws -> (page: [Record], found: [Record.ID: Record])? {
        try Task.checkCancellation()
        guard let page = try await next() else { return nil }
        return (page, try await database.recordsByID(for: page.map(\.id)))
    }
}

extension Record {
    /// Whether another record is bitwise equal to this one, including metadata.
    ///
    /// `==` does not distinguish 0 and −0, nor Unicode normalization forms, so one of two records would be lost.
    func isSame(as other: Record) throws -> Bool {
        guard id == other.id, metadata == other.metadata else { return false }
        return try RecordGraph([self], roots: []).difference(from: RecordGraph([other], roots: [])).isEmpty
    }
}
