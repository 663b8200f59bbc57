#if SQLite
@_spi(Engines) import NestedRecords

/// A part of an index, read by a statement.
struct IndexSegment {
    let type: StoredTerms.StoredType
    let order: IndexOrder
    let values: [Statement.Value]

    /// Whether it goes from the greatest key to the least, and from the last name to the first within a key.
    var isDescending: Bool { order == .descending }
}

/// The orders in which an index is read, and their statements; there are few, so that each is prepared once.
///
/// The columns are those of a record, with the key in the place of the type, or the number of the record's row and the
/// key. The key is null except from the greatest key on.
enum IndexOrder {
    /// By the keys of an index after a position, with the names in order within a key.
    case ascending

    /// By the keys of an index from one on: SQLite compares no positions, which saves 3 of the 44 µs of 74 records.
    case fromKey

    /// From the greatest key of an index to the least, and from the last name to the first within a key.
    ///
    /// This is the index from its end to its beginning. To put the names of each key in order, SQLite would use a
    /// sorter for each key, which would take 11 of the 26 µs of a page of 20.
    case descending

    /// All records of a type after a name.
    case byName

    var statements: Statements {
        switch self {
        case .ascending: Self.ascendingStatements
        case .fromKey: Self.fromKeyStatements
        case .descending: Self.descendingStatements
        case .byName: Self.byNameStatements
        }
    }

    /// The statements of an order: with the records; without their dates; only with the numbers and the keys, for which no
    /// page of the file with records is read.
    typealias Statements = (records: String, fields: String, numbers: String)

    private static let ascendingStatements = statements(
        "(entries.key, entries.name) > (?2, ?3) AND entries.key < ?4 ORDER BY entries.key, entries.name")
    private static let fromKeyStatements = statements(
        "entries.key >= ?2 AND entries.key < ?3 ORDER BY entries.key, entries.name")
    private static let descendingStatements = statements(
        "entries.key >= ?2 AND entries.key < ?3 ORDER BY entries.key DESC, entries.name DESC", key: "entries.key")
    private static let byNameStatements: Statements = {
        let order = "FROM records WHERE type = ?1 AND name > ?2 AND body IS NOT NULL ORDER BY name"
        return (
            "SELECT \(Connection.namedColumns("NULL")) \(order)", "SELECT \(Connection.fieldColumns("NULL")) \(order)",
            // With the rows of deleted records, which no index selects.
            """
            SELECT number, NULL FROM records INDEXED BY records_by_name
            WHERE type = ?1 AND name > ?2 ORDER BY name
            """
        )
    }()

    private static func statements(_ condition: String, key: String = "NULL") -> Statements {
        let join = """
            FROM entries CROSS JOIN records ON records.number = entries.record
            WHERE entries.field_index = ?1 AND \(condition)
            """
        return (
            "SELECT \(Connection.namedColumns(key)) \(join)", "SELECT \(Connection.fieldColumns(key)) \(join)",
            "SELECT entries.record, \(key) FROM entries WHERE entries.field_index = ?1 AND \(condition)"
        )
    }
}

struct IndexedRow {
    let row: Row
    let parts: RecordParts

    /// Whether the row before has the same key; only if the segment is descending.
    let hasSameKey: Bool

    var number: Int64 { row.int(0) }
}

/// The statements of queries; there are few, so that each is prepared once.
enum QueryStatement {
    static let byName = "SELECT 0, \(Connection.bodyColumns) FROM records WHERE type = ?1 AND name = ?2"

    /// Without the body of the record.
    static let numberByName = "SELECT 0, number, batch FROM records WHERE type = ?1 AND name = ?2"

    static let tagByName = "SELECT 0, number, batch, body IS NOT NULL FROM records WHERE type = ?1 AND name = ?2"

    static let tagsByNames = """
        SELECT list.key, records.number, records.batch, records.body IS NOT NULL FROM json_each(?1) AS list
        CROSS JOIN records ON records.type = ?2 AND records.name = list.value
        """

    static let numbersByNames = """
        SELECT list.key, records.number, records.batch FROM json_each(?1) AS list
        CROSS JOIN records ON records.type = ?2 AND records.name = list.value
        """

    static let byNames = """
        SELECT list.key, \(Connection.bodyColumns) FROM json_each(?1) AS list
        CROSS JOIN records ON records.type = ?2 AND records.name = list.value
        """

    static let count = "SELECT count(*) FROM entries WHERE field_index = ?1 AND key >= ?2 AND key < ?3"

    /// The number of records with each key of an index, and one of the records.
    static let groups = """
        SELECT groups.count, \(Connection.recordColumns) FROM (
            SELECT count(*) AS count, min(record) AS record FROM entries
            WHERE field_index = ?1 AND key >= ?2 AND key < ?3 GROUP BY key LIMIT ?4
        ) AS groups CROSS JOIN records ON records.number = groups.record
        """

    static let countOfType = "SELECT count FROM types WHERE name = ?1"
}

extension IndexSegment {
    fileprivate init(
        of index: Int64, _ type: StoredTerms.StoredType, after key: [UInt8], _ name: String, to upper: [UInt8]
    ) {
        // Every record has a name.
        self =
            name.isEmpty
            ? Self(type: type, order: .fromKey, values: [.int(index), .bytes(key), .bytes(upper)])
            : Self(type: type, order: .ascending, values: [.int(index), .bytes(key), .text(name), .bytes(upper)])
    }
}

extension BinaryQueryScan {
    /// Examines a record.
    ///
    /// - Parameter isOrdered: Whether the records come in the order of the query, and only the page is needed.
    /// - Returns: Whether other records are needed.
    mutating func take(_ row: IndexedRow, isOrdered: Bool) throws -> Bool {
        // Among records with the same key, the first names may come last.
        if isOrdered, hasMore, !row.hasSameKey { return false }
        try visit(row.parts, at: UInt64(bitPattern: row.number))
        return true
    }
}

extension [Record] {
    fileprivate mutating func reverse(from start: Int) {
        var (first, last) = (start, count - 1)
        while first < last {
            swapAt(first, last)
            (first, last) = (first + 1, last - 1)
        }
    }
}

extension SortKeyRange {
    fileprivate var upperBytes: [UInt8] { (upper ?? .end).bytes }
}

extension Connection {
    func segments(of plan: QueryPlan, type: String, in list: IndexList) throws -> [IndexSegment] {
        guard let typeNumber = try typeNumber(type), let type = try storedType(typeNumber), type.isValid else {
            return []
        }
        guard let index = plan.index else {
            let values: [Statement.Value] = [.int(typeNumber), .text(plan.start?.name ?? "")]
            return plan.ranges.isEmpty ? [] : [IndexSegment(type: type, order: .byName, values: values)]
        }
        guard let number = list.number(of: index) else { return [] }
        func ascending(_ key: [UInt8], _ name: String, to upper: [UInt8]) -> IndexSegment {
            IndexSegment(of: number, type, after: key, name, to: upper)
        }
        func descending(_ lower: [UInt8], to upper: [UInt8]) -> IndexSegment {
            IndexSegment(type: type, order: .descending, values: [.int(number), .bytes(lower), .bytes(upper)])
        }
        var segments: [IndexSegment] = []
        for range in plan.isDescending ? plan.ranges.reversed() : plan.ranges {
            let (lower, upper) = (range.lower.bytes, range.upperBytes)
            // The order is that of the names alone if all records have the one key of the range.
            let start = plan.start.map { (key: $0.key ?? range.lower, name: $0.name) }
            guard let start, start.key >= range.lower || plan.isDescending else {
                segments.append(plan.isDescending ? descending(lower, to: upper) : ascending(lower, "", to: upper))
                continue
            }
            let isInside = range.contains(start.key)
            if !plan.isDescending {
                if isInside { segments.append(ascending(start.key.bytes, start.name, to: upper)) }
            } else if isInside {
                // The rest of the records with the same key, and those with lesser keys.
                let same = SortKeyRange.point(start.key)
                segments.append(ascending(start.key.bytes, start.name, to: same.upperBytes))
                segments.append(descending(lower, to: start.key.bytes))
            } else if start.key > range.lower {
                segments.append(descending(lower, to: upper))
            }
        }
        return segments
    }

    /// The number of records after which the work goes on in a separate thread: about 0.2 ms.
    ///
    /// One record more than a page has shows that there are more.
    static var mostRecordsHere: Int { 201 }

    /// Calls the closure with the records of segments, until it returns false.
    ///
    /// - Parameters:
    ///   - segments: The segments.
    ///   - readsMetadata: Whether the metadata are read.
    ///   - body: The closure.
    func visit(_ segments: [IndexSegment], readsMetadata: Bool, _ body: (IndexedRow) throws -> Bool) throws {
        guard let type = segments.first?.type else { return }
        try visit(
            segments, readsMetadata ? \.statements.records : \.statements.fields, keyColumn: Self.typeColumn,
            atMostHere: Self.mostRecordsHere
        ) { row, hasSameKey in
            let goesOn = try withParts(of: row, at: 0, typeHash: type.hash, hasDates: readsMetadata) { parts in
                try body(IndexedRow(row: row, parts: parts, hasSameKey: hasSameKey))
            }
            guard let goesOn else { throw missingRecord }
            return goesOn
        }
    }

    /// Calls the closure with each row of segments, and whether its key is that of the row before, which is found only from
    /// the greatest key on; until it returns false.
    ///
    /// - Parameters:
    ///   - segments: The segments.
    ///   - sql: The statement of an order.
    ///   - keyColumn: The column of the key.
    ///   - most: The number of rows after which the work goes on in a separate thread.
    ///   - body: The closure.
    func visit(
        _ segments: [IndexSegment], _ sql: (IndexOrder) -> String, keyColumn: Int32, atMostHere most: Int,
        _ body: (Row, _ hasSameKey: Bool) throws -> Bool
    ) throws {
        let mostRows = deadline == nil ? Int.max : most
        var goesOn = true
        var count = 0
        for segment in segments where goesOn {
            // Kept for its memory.
            var lastKey: [UInt8] = []
            var isFirst = true
            try forEachRow(sql(segment.order), segment.values) { row in
                count += 1
                // Rarely, because it may read the clock.
                if count.isMultiple(of: 8) { try checkCancellation() }
                if count > mostRows { throw NeedsOwnThread() }
                var hasSameKey = false
                if segment.isDescending {
                    let key = row.bytes(keyColumn) ?? BytesInPlace()
                    hasSameKey = !isFirst && lastKey.elementsEqual(key)
                    if !hasSameKey {
                        lastKey.removeAll(keepingCapacity: true)
                        lastKey.append(contentsOf: key)
                    }
                    isFirst = false
                }
                goesOn = try body(row, hasSameKey)
                return goesOn
            }
        }
    }

    var missingRecord: RecordDatabaseError {
        RecordDatabaseError.corrupt(path: path, what: "an index leads to a record that was deleted")
    }

    /// Calls the closure with the rows of segments, whose records are read only if it asks for them.
    private func visitRows(
        _ segments: [IndexSegment], fields: Set<String>? = nil,
        _ body: (_ record: () throws -> Record, _ row: Row, _ hasSameKey: Bool) throws -> Bool
    ) throws {
        guard let type = segments.first?.type else { return }
        try visit(segments, \.statements.records, keyColumn: Self.typeColumn, atMostHere: Self.mostRecordsHere) {
            row, hasSameKey in
            func found() throws -> Record {
                guard let record = try record(in: row, at: 0, ofType: type, fields: fields) else { throw missingRecord }
                return record
            }
            return try body(found, row, hasSameKey)
        }
    }

    /// - Parameter query: The query, which limits the size of a page only if the segments ascend.
    private func firstRecords(
        in segments: [IndexSegment], of index: Int64?, limit: Int?, for query: RecordQuery
    ) throws -> (records: [Record], hasMore: Bool) {
        let fields = query.readFields
        var bytes = PageBytes(query)
        var records: [Record] = []
        records.reserveCapacity(min(limit ?? 0, 200))
        var hasMore = false
        // The records with the last key begin here; among them the last names come first.
        var start = 0
        var splitKey: [UInt8]?
        try visitRows(segments, fields: fields) { record, row, hasSameKey in
            hasMore = records.count == limit
            if !hasSameKey {
                records.reverse(from: start)
                start = records.count
            } else if hasMore {
                splitKey = row.bytes(Self.typeColumn).map(Array.init)
            }
            if hasMore { return false }
            let record = try record()
            records.append(record)
            return bytes.add(record)
        }
        guard let splitKey, let index, let type = segments.first?.type else {
            records.reverse(from: start)
            return (records, hasMore)
        }
        // The page ends among records with the same key, of which it takes those with the first names.
        records.removeSubrange(start...)
        // No key is between this one and the same key with U+0001 appended.
        let rest = IndexSegment(of: index, type, after: splitKey, "", to: splitKey + [1])
        try visitRows([rest], fields: fields) { record, _, _ in
            records.append(try record())
            return records.count != limit
        }
        return (records, true)
    }

    func targets(
        of filter: RecordFilter?, in list: IndexList
    ) throws -> (ids: [Int: Set<Record.ID>], examinedCount: Int) {
        try RecordFilterPart.targets(of: filter) { type, part in
            var matcher = try BinaryMatcher(part)
            let plan = QueryPlan(part, ofType: type, indexes: list.indexes)
            try visit(segments(of: plan, type: type, in: list), readsMetadata: matcher.readsMetadata) { row in
                try matcher.visit(row.parts) { try RecordReader.id(checkedType: type, name: row.parts.name) }
                return true
            }
            return (matcher.ids, matcher.examinedCount)
        }
    }

    func page(_ query: RecordQuery) throws -> RecordPage {
        let list = try indexList()
        let targets = try targets(of: query.filter, in: list)
        let (plan, inOrder) = try QueryPlan.alternatives(query, targets: targets.ids, indexes: list.indexes)
        if let inOrder,
            let page = try page(
                query, targets, inOrder: segments(of: inOrder, type: query.recordType, in: list),
                selected: segments(of: plan, type: query.recordType, in: list))
        {
            return page
        }
        // A caller with the limit 0 wants to know how many records there are.
        let limit = query.limit.flatMap { $0 > 0 && plan.isOrdered ? $0 : nil }
        let segments = try segments(of: plan, type: query.recordType, in: list)
        var page: RecordPage
        if plan.isPushedDown, limit != nil || query.limit == nil, query.byteLimit == nil || !plan.isDescending {
            let (records, hasMore) = try firstRecords(
                in: segments, of: plan.index.flatMap(list.number(of:)), limit: limit, for: query)
            page = RecordPage(of: query, found: records, hasMore: hasMore, examinedElsewhere: targets.examinedCount)
        } else if plan.isCovered, query.limit == nil, query.byteLimit == nil {
            var scan = try CoveredScan(query, capacity: 200)
            try visitRows(segments, fields: query.readFields) { record, _, _ in
                scan.add(try record())
                return true
            }
            page = scan.page(examinedElsewhere: targets.examinedCount)
        } else {
            var scan = try BinaryQueryScan(query, targets: targets.ids)
            try visit(segments, readsMetadata: scan.readsMetadata) { row in try scan.take(row, isOrdered: limit != nil)
            }
            let records = try records(inRows: scan.locations, for: query)
            page = scan.page(of: records, examinedElsewhere: targets.examinedCount)
        }
        let isWhole = query.limit == nil && query.after == nil
        page.isPushedDown = plan.isCovered && (plan.isOrdered || isWhole)
        return page
    }

    func count(_ query: RecordQuery) throws -> Int {
        let list = try indexList()
        let targets = try targets(of: query.filter, in: list)
        let part = RecordFilterPart(query.filter, targets: targets.ids)
        let plan = QueryPlan(part, ofType: query.recordType, indexes: list.indexes)
        if plan.isCovered {
            guard let number = plan.index.flatMap(list.number(of:)) else {
                if plan.ranges.isEmpty { return 0 }
                return Int(try first(QueryStatement.countOfType, .text(query.recordType)) { $0.int(0) } ?? 0)
            }
            return try plan.ranges.reduce(0) { sum, range in
                let count = try first(
                    QueryStatement.count, .int(number), .bytes(range.lower.bytes), .bytes(range.upperBytes)
                ) { $0.int(0) }
                return sum + Int(count ?? 0)
            }
        }
        var scan = try BinaryQueryScan(
            RecordQuery(query.recordType, where: query.filter, limit: 0), targets: targets.ids)
        let segments = try segments(of: plan, type: query.recordType, in: list)
        try visit(segments, readsMetadata: scan.readsMetadata) { row in
            try scan.visit(row.parts, at: UInt64(bitPattern: row.number))
            return true
        }
        return scan.page(of: [], examinedElsewhere: 0).matchCount
    }

    func summaries(of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?) throws -> [RecordSummary]
    {
        let list = try indexList()
        let part = RecordFilterPart(query.filter, targets: try targets(of: query.filter, in: list).ids)
        if field == nil, let group,
            let plan = QueryPlan(part, ofType: query.recordType, groupedBy: group, indexes: list.indexes),
            let summaries = try countedGroups(plan, of: group, list)
        {
            return summaries
        }
        let plan = QueryPlan(part, ofType: query.recordType, indexes: list.indexes)
        var scan = try BinarySummaryScan(part, of: field, groupedBy: group)
        let segments = try segments(of: plan, type: query.recordType, in: list)
        try visit(segments, readsMetadata: scan.readsMetadata) { row in
            try scan.visit(row.parts)
            return true
        }
        return scan.summaries
    }

    /// The groups, counted in an index; nil if they are too many to read a record for each.
    private func countedGroups(_ plan: QueryPlan, of group: RecordGrouping, _ list: IndexList) throws
        -> [RecordSummary]?
    {
        guard let number = plan.index.flatMap(list.number(of:)) else { return nil }
        var builder = SummaryBuilder(of: nil, groupedBy: group)
        var count = 0
        for range in plan.ranges {
            let bounds = [Statement.Value.bytes(range.lower.bytes), .bytes(range.upperBytes)]
            let limit = Statement.Value.int(Int64(SummaryBuilder.mostCountedGroups + 1))
            try forEachRow(QueryStatement.groups, [.int(number)] + bounds + [limit]) { row in
                try checkCancellation()
                count += 1
                guard let record = try record(in: row, at: 1) else { throw missingRecord }
                try builder.add(group: group.path.value(in: record), field: nil, count: Int(row.int(0)))
                return count <= SummaryBuilder.mostCountedGroups
            }
            if count > SummaryBuilder.mostCountedGroups { return nil }
        }
        return builder.summaries
    }
}
#endif
