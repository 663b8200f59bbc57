#if PostgreSQL
@_spi(Engines) import NestedRecords

/// Reads candidates page by page, each of about a megabyte: see `Tables.candidates`.
struct CandidatePages: AsyncIteratorProtocol {
    private let database: PostgreSQLRecordDatabase
    let range: CandidateRange
    private var place: RecordPlace?
    private var size: Int

    /// The numbers of records after which the filter's plan and the other one give up.
    private var most: Int
    private var mostInOrder: Int
    private var isComplete: Bool

    /// Whether the next page, which is no larger than this one, would sort the same selected records again.
    private(set) var repeatsSelection = false
    private static let greatestSize = 1_000
    private static let wantedByteCount = 1 << 20

    /// - Parameters:
    ///   - limit: The number of records that the page of the query has.
    ///   - least: The number of selected records that are read at first.
    init(
        of database: PostgreSQLRecordDatabase, _ range: CandidateRange, after place: RecordPlace?, limit: Int,
        least: Int
    ) {
        self.database = database
        self.range = range
        self.place = place
        // One more shows whether it is the last page.
        size = max(1, min(limit, Self.greatestSize)) + 1
        (most, mostInOrder) = (least, 2 * least)
        // The server accepts no text with a NUL, which no record type contains.
        isComplete = range.type.utf8.contains(0)
    }

    /// The next candidates, not necessarily in their order; nil after the last one.
    mutating func next() async throws -> [Record]? {
        while !isComplete {
            try Task.checkCancellation()
            // If the page has more records than the filter selects, it needs all of them.
            if most < size { (most, mostInOrder) = (size, 2 * size) }
            guard
                let statement = database.tables.candidates(
                    range, after: place, limit: size, most: most, mostInOrder: mostInOrder)
            else { return nil }
            let rows = try await database.read(statement, with: [Tables.planned])
            let stored = StoredRecords(rows, of: database.tables)
            isComplete = stored.count < size
            guard stored.count > 0 else { return nil }
            let foundInOrder = rows.integer(0, StoredRecords.columnCount + 1)
            if rows.isNull(0, 1) {
                isComplete = false
                most *= 4
                // The more candidates were among the first records, the sooner there are enough of them.
                mostInOrder = 4 * Int(foundInOrder ?? 0) >= size ? 2 * most : most
                continue
            }
            // Sorting whole rows again takes the server longer than to find the last one here.
            if !isComplete { place = (0..<stored.count).map(stored.place).max(by: range.isOrdered) }
            let fitting = Self.wantedByteCount * stored.count / max(1, stored.byteCount)
            let nextSize = max(1, min(Self.greatestSize, fitting, size * 8))
            repeatsSelection = foundInOrder == nil && !isComplete && nextSize <= size
            size = nextSize
            return try stored.records()
        }
        return nil
    }
}
#endif
