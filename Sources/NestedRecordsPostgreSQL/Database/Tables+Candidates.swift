#if PostgreSQL
import NestedRecords

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
    /// Like `unsorted`, and lets the server keep one plan of a statement for all values: planning takes longer than reading
    /// a page.
    static let planned = Statement(
        "read two indexes",
        """
        SELECT set_config('enable_sort', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
        """, isKept: true)

    /// At most `limit` candidates, which are the first ones after a place; nil if there are none.
    ///
    /// Both indexes are of columns of one row, so the server tests the ranges of the other index on the rows that it finds
    /// in one of them. It tries two plans in turn, and each of them gives up after a number of rows:
    ///
    /// 1. Read the rows that the filter's index selects, at most `most`, and sort those in the ranges of the order's index.
    /// 2. Read the first rows in the order, twice as many, until enough of them are in the ranges of the filter's index.
    ///
    /// Without a count or statistics it therefore takes no longer than a few times the better plan. If both give up, the
    /// answer is one row of nulls, and the same is asked with a greater `most`. The last column tells whether the
    /// candidates are of the first plan.
    ///
    /// Only keys, names and the places of rows are sorted and stored in between. The limits and orders of the inner queries
    /// leave the server one plan each, whatever it knows of the table.
    func candidates(
        _ range: CandidateRange, after place: RecordPlace?, limit: Int, most: Int
    ) -> Statement? {
        let pieces = range.orderPieces(after: place)
        guard let first = pieces.first else { return nil }
        let filterKey = "r.keys[\(range.filterSlot)]"
        let order = OrderSteps(range, isInOnePiece: pieces.count == 1 && !range.isDescending)
        let direction = range.isDescending ? "DESC" : "ASC"
        let stored = "r.type = $1 AND r.body IS NOT NULL"
        let text = """
            WITH selected AS MATERIALIZED (
                SELECT r.* FROM unnest($2::text[], $3::text[]) AS i(lower, upper) CROSS JOIN LATERAL (
                    SELECT \(order.key) AS key, r.name, r.ctid AS row FROM \(records) r
                    WHERE \(stored) AND \(filterKey) >= i.lower AND \(filterKey) < i.upper AND \(filterKey) IS NOT NULL
                    ORDER BY \(filterKey), r.name LIMIT $9 + 1
                ) r LIMIT $9 + 1
            ), few AS MATERIALIZED (
                SELECT count(*) <= $9 AS holds FROM selected
            ), \(order.steps(of: "\(records) r WHERE \(stored) AND NOT (SELECT holds FROM few)", filterKey))
            SELECT \(StoredRecords.columns), c.key, c.is_selected FROM (
                (
                    SELECT true AS is_selected, r.key, r.name, r.row FROM selected r
                    WHERE (SELECT holds FROM few) AND \(order.test) ORDER BY r.key \(direction), r.name LIMIT $7
                )
                UNION ALL SELECT false, r.key, r.name, r.row FROM ordered r WHERE (SELECT holds FROM complete)
                UNION ALL SELECT NULL, NULL, NULL, NULL
                WHERE NOT (SELECT holds FROM few) AND NOT (SELECT holds FROM complete)
            ) c LEFT JOIN LATERAL (
                SELECT \(StoredRecords.columns) FROM \(records) r WHERE r.ctid = c.row OFFSET 0
            ) r ON true ORDER BY c.key \(direction), c.name
            """
        let bounds: [Parameter] =
            order.isInOnePiece
            ? [.text(first.lower), .text(first.name), .text(first.upper)]
            : [.texts(pieces.map(\.lower)), .texts(pieces.map(\.name)), .texts(pieces.map(\.upper))]
        let counts = [limit, 2 * most, most].map { Parameter.integer(Int64($0)) }
        return Statement(
            "read two indexes", text,
            [.text(range.type)] + Self.parameters(of: range.filterRanges) + bounds + counts, isKept: true)
    }
}

/// The steps of the statement that read in the order: the parameters 4 to 6 are the lower bounds, the names and the upper
/// bounds of its pieces.
private struct OrderSteps {
    /// Whether the rows of the index are those of the order one after the other, so that reading may end with any of them.
    let isInOnePiece: Bool
    private let isByName: Bool
    private let isDescending: Bool
    let key: String

    init(_ range: CandidateRange, isInOnePiece: Bool) {
        self.isInOnePiece = isInOnePiece
        isByName = range.orderSlot == nil
        isDescending = range.isDescending
        key = range.orderSlot.map { "r.keys[\($0)]" } ?? "NULL::text"
    }

    /// The condition that a row with a key and a name is in the pieces.
    var test: String {
        if isByName { return "r.name > $5 AND $4 <> $6" }
        if isInOnePiece { return "(r.key, r.name) > ($4, $5) AND r.key < $6" }
        // The piece with the greatest lower bound that is not greater than the key; none if there is no such piece.
        let piece = "width_bucket(r.key, $4::text[])"
        return "r.key < ($6::text[])[\(piece)] AND r.name > ($5::text[])[\(piece)]"
    }

    /// The steps `ordered`, the candidates, and `complete`, whether there are enough of them.
    func steps(of rows: String, _ filterKey: String) -> String {
        let columns = "\(key) AS key, r.name, r.ctid AS row, \(filterKey) AS filter_key"
        // As for the pieces of the order.
        let isSelected = "r.filter_key < ($3::text[])[width_bucket(r.filter_key, $2::text[])]"
        if isInOnePiece {
            let condition =
                isByName
                ? "r.name > $5 AND $4 <> $6"
                : "(\(key), r.name) > ($4, $5) AND \(key) < $6 AND \(key) IS NOT NULL"
            return """
                ordered AS MATERIALIZED (
                    SELECT r.key, r.name, r.row FROM (
                        SELECT \(columns) FROM \(rows) AND \(condition)
                        ORDER BY \(isByName ? "" : "\(key), ")r.name LIMIT $8
                    ) r WHERE \(isSelected) ORDER BY \(isByName ? "" : "r.key, ")r.name LIMIT $7
                ), complete AS MATERIALIZED (
                    SELECT count(*) = $7 AS holds FROM ordered
                )
                """
        }
        // Read backwards, the names of one key descend: of the last key there may be others, with lesser names.
        let direction = isDescending ? "DESC" : "ASC"
        let isWhole =
            isDescending ? "AND (r.key > (SELECT min(key) FROM read) OR (SELECT count(*) FROM read) < $8)" : ""
        return """
            read AS MATERIALIZED (
                SELECT r.* FROM unnest($4::text[], $5::text[], $6::text[]) AS i(lower, name, upper) CROSS JOIN LATERAL (
                    SELECT \(columns) FROM \(rows)
                    AND \(key) >= i.lower AND \(key) < i.upper AND \(key) IS NOT NULL AND r.name > i.name
                    ORDER BY \(key) \(direction), r.name \(direction) LIMIT $8
                ) r ORDER BY r.key \(direction), r.name \(direction) LIMIT $8
            ), ordered AS MATERIALIZED (
                SELECT r.key, r.name, r.row FROM read r WHERE \(isSelected) \(isWhole)
                ORDER BY r.key \(direction), r.name LIMIT $7
            ), complete AS MATERIALIZED (
                SELECT count(*) = $7 OR (SELECT count(*) FROM read) < $8 AS holds FROM ordered
            )
            """
    }
}

/// A part of a range of the order's index: the keys from `lower` on and before `upper`, with names after `name`.
private struct OrderPiece {
    let lower: String
    var name = ""
    let upper: String
}

extension CandidateRange {
    /// The pieces after a place, in ascending order.
    ///
    /// In one piece, the name belongs to the lower bound alone.
    fileprivate func orderPieces(after place: RecordPlace?) -> [OrderPiece] {
        let pieces = orderRanges.map { range in
            OrderPiece(lower: range.lower.text, upper: range.upper?.text ?? Tables.lastKey)
        }
        guard let place else { return pieces }
        guard let key = place.key else {
            return pieces.map { OrderPiece(lower: $0.lower, name: place.name, upper: $0.upper) }
        }
        // Keys have no U+0000, so no key is between.
        let next = key + "\u{1}"
        let isOnePiece = !isDescending && pieces.count { key.isBefore($0.upper) } == 1
        return pieces.flatMap { piece -> [OrderPiece] in
            let (isAfter, isBefore) = (key.isBefore(piece.lower), !key.isBefore(piece.upper))
            if isAfter || isBefore { return isAfter == isDescending ? [] : [piece] }
            if isOnePiece { return [OrderPiece(lower: key, name: place.name, upper: piece.upper)] }
            let parts = [
                OrderPiece(lower: piece.lower, upper: key), OrderPiece(lower: key, name: place.name, upper: next),
                OrderPiece(lower: next, upper: piece.upper),
            ]
            return (isDescending ? parts.prefix(2) : parts.suffix(2)).filter { $0.lower.isBefore($0.upper) }
        }
    }
}

extension String {
    fileprivate func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
#endif
