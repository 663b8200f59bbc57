#if PostgreSQL
@_spi(Engines) import NestedRecords

/// The records of a type that are in the ranges of two indexes, in the order of the second one.
struct CandidateRange: Sendable {
    let type: String

    /// The number of the index that selects, and its ranges.
    let filterSlot: Int
    let filterRanges: [SortKeyRange]

    /// The number of the index that orders; nil for the order of the names.
    let orderSlot: Int?
    let orderRanges: [SortKeyRange]
    let isDescending: Bool
}

extension Tables {
    /// At most `limit` candidates, the first ones after a place; nil if there are none.
    ///
    /// Both indexes are of columns of one row, so the server tests the ranges of the other index on the rows that it finds
    /// in one of them. It tries two plans in turn, and each of them gives up after a number of rows:
    ///
    /// 1. Read the rows that the filter's index selects, at most `most`, and sort those in the ranges of the order's index.
    /// 2. Read the first rows in the order, at most `mostInOrder`, until enough are in the ranges of the filter's index.
    ///
    /// Without a count or statistics it therefore takes no longer than a few times the better plan. If both give up, the
    /// answer is one row without a name, and the same is asked with greater numbers. The last column is the number of
    /// candidates that the second plan has found; it is null with candidates of the first plan. All candidates are of one
    /// snapshot.
    ///
    /// Only keys, names and the places of rows are sorted and stored in between. The limits and orders of the inner queries
    /// leave the server one plan each, whatever it knows of the table.
    func candidates(
        _ range: CandidateRange, after place: RecordPlace?, limit: Int, most: Int, mostInOrder: Int
    ) -> Statement? {
        let pieces = range.orderPieces(after: place)
        guard let first = pieces.first else { return nil }
        let filterKey = "r.keys[\(range.filterSlot)]"
        let order = OrderSteps(range, isInOnePiece: pieces.count == 1, filterKey: filterKey, records: records)
        let text = """
            WITH selected AS MATERIALIZED (
                SELECT r.* FROM unnest($2::text[], $3::text[]) AS i(lower, upper) CROSS JOIN LATERAL (
                    SELECT \(order.key) AS key, r.name, r.ctid AS row FROM \(records) r
                    WHERE \(OrderSteps.isRecord) AND \(filterKey) >= i.lower AND \(filterKey) < i.upper
                    AND \(filterKey) IS NOT NULL ORDER BY \(filterKey), r.name LIMIT $9 + 1
                ) r LIMIT $9 + 1
            ), few AS MATERIALIZED (
                SELECT count(*) <= $9 AS holds FROM selected
            ), \(order.steps), complete AS MATERIALIZED (
                SELECT count(*) = $7 AS holds FROM ordered
            )
            SELECT \(StoredRecords.columns), c.key, c.count FROM (
                (
                    SELECT NULL::bigint AS count, r.key, r.name, r.row FROM selected r
                    WHERE (SELECT holds FROM few) AND \(order.test) ORDER BY r.key \(order.direction), r.name LIMIT $7
                )
                UNION ALL SELECT $7, r.key, r.name, r.row FROM ordered r WHERE (SELECT holds FROM complete)
                UNION ALL SELECT (SELECT count(*) FROM \(order.found)), NULL, NULL, NULL
                WHERE NOT (SELECT holds FROM few) AND NOT (SELECT holds FROM complete)
            ) c LEFT JOIN LATERAL (
                SELECT \(StoredRecords.columns) FROM \(records) r WHERE r.ctid = c.row OFFSET 0
            ) r ON true
            """
        let bounds: [Parameter] =
            order.isInOnePiece
            ? [.text(first.lower), .text(first.name), .text(first.upper)]
            : [.texts(pieces.map(\.lower)), .texts(pieces.map(\.name)), .texts(pieces.map(\.upper))]
        let counts = [limit, mostInOrder, most].map { Parameter.integer(Int64($0)) }
        // The start of a descending order: the others have it in their pieces.
        let start: [Parameter] =
            range.isDescending ? [.text(place?.key ?? SortKey.end.text), .text(place?.name ?? "")] : []
        return Statement(
            "read two indexes", text,
            [.text(range.type)] + Self.parameters(of: range.filterRanges) + bounds + counts + start, isKept: true)
    }
}

/// The steps of the statement that read in the order, up to `ordered`, which has at most as many rows as are wanted.
private struct OrderSteps {
    let isInOnePiece: Bool
    private let isByName: Bool
    private let isDescending: Bool
    let key: String
    private let filterKey: String
    private let records: String
    static let isRecord = "r.type = $1 AND r.body IS NOT NULL"

    /// The piece of a list with the greatest lower bound that is not greater than the key has it, if one has.
    private static let isSelected = "r.filter_key < ($3::text[])[width_bucket(r.filter_key, $2::text[])]"

    init(_ range: CandidateRange, isInOnePiece: Bool, filterKey: String, records: String) {
        self.isInOnePiece = isInOnePiece
        isByName = range.orderSlot == nil
        isDescending = range.isDescending
        key = range.orderSlot.map { "r.keys[\($0)]" } ?? "NULL::text"
        self.filterKey = filterKey
        self.records = records
    }

    /// The step with all candidates that are found.
    var found: String { isDescending ? "found" : "ordered" }

    var direction: String { isDescending ? "DESC" : "ASC" }

    /// The condition that a row with a key and a name is in the pieces, and after the place.
    var test: String {
        if isByName { return "r.name > $5" }
        if isInOnePiece { return "(r.key, r.name) > ($4, $5) AND r.key < $6" + afterStart }
        let piece = "[width_bucket(r.key, $4::text[])]"
        return "(r.key, r.name) > (($4::text[])\(piece), ($5::text[])\(piece)) AND r.key < ($6::text[])\(piece)"
            + afterStart
    }

    /// In a descending order, the rows with the key of the place that are not after it count as read: there may be many.
    private var afterStart: String { isDescending ? " AND (r.key < $10 OR r.name > $11)" : "" }

    private func rows(where condition: String, orderedBy order: String) -> String {
        """
        SELECT \(key) AS key, r.name, r.ctid AS row, \(filterKey) AS filter_key FROM \(records) r
        WHERE \(Self.isRecord) AND \(condition) ORDER BY \(order) LIMIT $8
        """
    }

    /// The first rows in the order of the index.
    private var firstRows: String {
        let isNeeded = "NOT (SELECT holds FROM few)"
        if isByName { return rows(where: "\(isNeeded) AND r.name > $5", orderedBy: "r.name") }
        let order = "\(key) \(direction), r.name \(direction)"
        func piece(after start: String, before end: String) -> String {
            rows(
                where: "\(isNeeded) AND (\(key), r.name) > \(start) AND \(key) < \(end) AND \(key) IS NOT NULL",
                orderedBy: order)
        }
        if isInOnePiece { return piece(after: "($4, $5)", before: "$6") }
        return """
            SELECT r.* FROM unnest($4::text[], $5::text[], $6::text[]) AS i(lower, name, upper) CROSS JOIN LATERAL (
                \(piece(after: "(i.lower, i.name)", before: "i.upper"))
            ) r ORDER BY r.key \(direction), r.name \(direction) LIMIT $8
            """
    }

    var steps: String {
        if !isDescending {
            return """
                ordered AS MATERIALIZED (
                    SELECT r.key, r.name, r.row FROM (\(firstRows)) r WHERE \(Self.isSelected)
                    ORDER BY \(isByName ? "" : "r.key, ")r.name LIMIT $7
                )
                """
        }
        // The names of one key descend in the index. Of the last key that is found there may be others, with lesser names:
        // its rows are read once more, from the least name on.
        let rest = rows(
            where: """
                (SELECT is_enough FROM last) AND \(key) = (SELECT key FROM last) AND \(key) IS NOT NULL
                AND r.name > CASE WHEN (SELECT key FROM last) = $10 THEN $11 ELSE '' END
                """, orderedBy: "\(key), r.name")
        return """
            found AS MATERIALIZED (
                SELECT r.key, r.name, r.row FROM (\(firstRows)) r WHERE \(Self.isSelected)\(afterStart)
                ORDER BY r.key DESC, r.name DESC LIMIT $7
            ), last AS MATERIALIZED (
                SELECT min(key) AS key, count(*) = $7 AS is_enough FROM found
            ), ordered AS MATERIALIZED (
                SELECT r.* FROM (
                    SELECT r.key, r.name, r.row FROM found r
                    WHERE (SELECT is_enough FROM last) AND r.key > (SELECT key FROM last)
                    UNION ALL (
                        SELECT r.key, r.name, r.row FROM (\(rest)) r WHERE \(Self.isSelected) ORDER BY r.name LIMIT $7
                    )
                ) r ORDER BY r.key DESC, r.name LIMIT $7
            )
            """
    }
}

/// A part of the order's index: the keys before `upper`, after `lower` with `name`.
private struct OrderPiece {
    let lower: String
    var name = ""
    let upper: String
}

extension CandidateRange {
    /// The ranges of the order's index without the keys before a place, and for an ascending order without its rows before
    /// the place.
    fileprivate func orderPieces(after place: RecordPlace?) -> [OrderPiece] {
        orderRanges.compactMap { range in
            let (lower, upper) = (range.lower.text, (range.upper ?? .end).text)
            guard let place else { return OrderPiece(lower: lower, upper: upper) }
            guard let key = place.key else { return OrderPiece(lower: lower, name: place.name, upper: upper) }
            if isDescending {
                // Keys have no U+0000, so this is the next possible one.
                return key.isBefore(lower) ? nil : OrderPiece(lower: lower, upper: upper.least(key + "\u{1}"))
            }
            if !key.isBefore(upper) { return nil }
            return key.isBefore(lower)
                ? OrderPiece(lower: lower, upper: upper) : OrderPiece(lower: key, name: place.name, upper: upper)
        }
    }

    /// Whether a place is before another place in the order.
    func isOrdered(_ place: RecordPlace, before other: RecordPlace) -> Bool {
        let (key, otherKey) = (place.key ?? "", other.key ?? "")
        if key.utf8.elementsEqual(otherKey.utf8) { return place.name.isBefore(other.name) }
        return key.isBefore(otherKey) != isDescending
    }
}

extension String {
    fileprivate func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }

    fileprivate func least(_ other: String) -> String { isBefore(other) ? self : other }
}
#endif
