#if PostgreSQL
@_spi(Engines) import NestedRecords

enum RecordRange: Sendable {
    case all
    case type(String)
    case rows
    case withoutFields
    case index(type: String, slot: Int, ranges: [SortKeyRange], isDescending: Bool, isDistributed: Bool)
    case referring([String])

    /// Whether the range is empty: the server accepts no text with a NUL, which no record type contains.
    var isEmpty: Bool {
        switch self {
        case .type(let type), .index(let type, _, _, _, _): type.utf8.contains(0)
        case .all, .rows, .withoutFields, .referring: false
        }
    }

    /// The settings with which the server reads the range.
    var settings: [Statement] {
        switch self {
        // No index has the order of referring records.
        case .referring: []
        case .index(_, _, _, _, isDistributed: false): [Tables.planned]
        case .all, .type, .rows, .withoutFields, .index: [Tables.unsorted]
        }
    }
}

struct RecordPlace: Sendable {
    var type = ""
    var name = ""

    /// The key in the index; nil if only the name counts.
    var key: String?
}

/// Reads records page by page, each of about a megabyte.
///
/// Nothing is kept on the server between two pages: each one begins after the last record of the page before.
struct RecordPages: AsyncIteratorProtocol {
    private let database: PostgreSQLRecordDatabase
    private let range: RecordRange
    private var place: RecordPlace?
    private var size: Int
    private let greatestSize: Int
    private let fields: Set<String>?
    private(set) var isComplete: Bool
    private static let wantedByteCount = 1 << 20

    /// - Parameters:
    ///   - limit: The number of records that are needed, if it is known.
    ///   - areLarge: Whether the first page is small, because the records may be large.
    ///   - fields: The fields of the records; nil for all.
    init(
        of database: PostgreSQLRecordDatabase, _ range: RecordRange, after place: RecordPlace? = nil,
        limit: Int? = nil, areLarge: Bool = false, fields: Set<String>? = nil
    ) {
        self.fields = fields
        self.database = database
        self.range = range
        self.place = place
        greatestSize = max(1, min(limit ?? 1_000, 1_000))
        size = min(greatestSize, areLarge ? 10 : limit == nil ? 100 : 1_000)
        isComplete = range.isEmpty
    }

    /// The next records; nil after the last one.
    mutating func next() async throws -> [Record]? { try await nextRows()?.records(fields) }

    /// The rows of the next records; nil after the last one.
    mutating func nextRows() async throws -> StoredRecords? {
        if isComplete { return nil }
        try Task.checkCancellation()
        let page = database.tables.page(range, after: place, limit: size)
        let rows = try await database.read(page, with: range.settings)
        let stored = StoredRecords(rows, of: database.tables)
        isComplete = stored.count < size
        guard stored.count > 0 else { return nil }
        place = stored.place(stored.count - 1)
        let fitting = Self.wantedByteCount * stored.count / max(1, stored.byteCount)
        size = max(1, min(greatestSize, fitting, size * 4))
        return stored
    }
}
#endif
