@_spi(Engines) import NestedRecords

/// Records in pages of a bounded size, for memory that does not grow with their number.
struct RecordPages {
    /// The maximum numbers of records and of bytes in a page, not counting the bytes of its last record.
    static let usualCount = 1_000
    static let usualByteCount = 4 << 20

    private var records: RecordSequence.Iterator
    private let count: Int
    private let byteCount: Int
    private let limits: RecordDatabaseLimits?
    private let progress: ProgressBar?
    private var writer = RecordWriter()

    /// A record that is too large for the page before it.
    private var first: Record?

    /// Begins at the first record.
    ///
    /// - Parameters:
    ///   - count: The maximum number of records in a page.
    ///   - byteCount: The maximum size of a page in bytes of the binary form; `Int.max` for any size.
    ///   - limits: The limits of the database that a page is to be saved in.
    init(
        of records: RecordSequence, count: Int = usualCount, byteCount: Int = usualByteCount,
        for limits: RecordDatabaseLimits? = nil, progress: ProgressBar?
    ) {
        self.records = records.makeAsyncIterator()
        (self.count, self.byteCount) = (min(count, limits?.batchCount ?? .max), byteCount)
        (self.limits, self.progress) = (limits, progress)
    }

    /// The next records, without repeated ones; nil after the last one.
    ///
    /// - Throws: Errors of reading, and ``RepeatedRecord`` for different records with one ID in the page.
    mutating func next() async throws -> [Record]? {
        var page: [Record] = []
        var positions: [Record.ID: Int] = [:]
        var (bytes, room) = (0, limits?.batchBytes ?? .max)
        while page.count < count, bytes < byteCount, let record = try await take() {
            if let limits, limits.batchBytes < .max {
                room -= limits.recordSize(record)
                if room < 0, !page.isEmpty {
                    first = record
                    break
                }
            }
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

    private mutating func take() async throws -> Record? {
        defer { first = nil }
        if let first { return first }
        return try await records.next()
    }

    /// The next records, and the records with the same IDs in another database; nil after the last one.
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
        guard metadata == other.metadata else { return false }
        return try hasSameContent(as: other)
    }

    /// Whether another record has this ID, and fields that are bitwise equal.
    func hasSameContent(as other: Record) throws -> Bool {
        guard id == other.id else { return false }
        return try RecordGraph([self], roots: []).difference(from: RecordGraph([other], roots: [])).isEmpty
    }
}
