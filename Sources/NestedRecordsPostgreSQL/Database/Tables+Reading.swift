#if PostgreSQL
@_spi(Engines) import NestedRecords

extension Tables {
    func fetch(_ ids: [Record.ID], isDistributed: Bool) -> Statement {
        // From the names a cluster learns which parts to ask; many records are in all parts anyway.
        let condition = isDistributed && ids.count <= 32 ? "AND r.name = ANY ($2::text[])" : ""
        return Statement(
            "fetch records",
            """
            SELECT \(StoredRecords.columns) FROM unnest($1::text[], $2::text[]) AS i(type, name)
            JOIN \(records) r ON r.type = i.type AND r.name = i.name WHERE r.body IS NOT NULL \(condition)
            """, [.texts(ids.map(\.type)), .texts(ids.map(\.name))])
    }

    func removal(type: String, name: String) -> String {
        "DELETE FROM \(records) WHERE type = \(type.asLiteral) AND name = \(name.asLiteral)"
    }

    func fieldsRemoval(_ id: Record.ID) -> String {
        "UPDATE \(records) SET fields = NULL WHERE type = \(id.type.asLiteral) AND name = \(id.name.asLiteral)"
    }

    var indexRenewal: String { "UPDATE \(indexes) SET is_ready = false" }

    /// Makes the server read in the order of an index where it can, until the end of the transaction.
    ///
    /// Before the server has analyzed a newly filled table, it takes a type for small, and sorts all of its records for
    /// each page: 120 ms instead of 1 ms for 100,000 records.
    static let unsorted = Statement("list records", "SELECT set_config('enable_sort', 'off', true)")

    /// Like `unsorted`, and lets the server keep one plan of a statement for all values: planning takes longer than reading
    /// a page.
    static let planned = Statement(
        "read an index",
        """
        SELECT set_config('enable_sort', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
        """, isKept: true)

    func versions(ofType type: String, after name: String, limit: Int) -> Statement {
        Statement(
            "list versions",
            """
            SELECT r.name, r.tag FROM \(records) r WHERE r.type = $1 AND r.name > $2 AND r.body IS NOT NULL \
            ORDER BY r.name LIMIT $3
            """, [.text(type), .text(name), .integer(Int64(limit))])
    }

    func page(_ range: RecordRange, after place: RecordPlace?, limit: Int) -> Statement {
        let columns = StoredRecords.columns
        let limit = Parameter.integer(Int64(limit))
        let place = place ?? RecordPlace()
        switch range {
        case .all, .rows, .withoutFields:
            var (columns, condition) = (columns, "AND r.body IS NOT NULL")
            if case .rows = range { (columns, condition) = (columns + ", r.fields, " + Self.entriesText(entries), "") }
            if case .withoutFields = range { condition += " AND r.fields IS NULL" }
            return Statement(
                "list records",
                """
                SELECT \(columns) FROM \(records) r WHERE (r.type, r.name) > ($1, $2) \(condition) \
                ORDER BY r.type, r.name LIMIT $3
                """, [.text(place.type), .text(place.name), limit])
        case .type(let type):
            return Statement(
                "list records of a type",
                """
                SELECT \(columns) FROM \(records) r WHERE r.type = $1 AND r.name > $2 AND r.body IS NOT NULL \
                ORDER BY r.name LIMIT $3
                """, [.text(type), .text(place.name), limit])
        case .referring(let texts):
            // Without the first step the server may scan all records in their order until it has enough.
            return Statement(
                "find references",
                """
                WITH r AS MATERIALIZED (
                    SELECT \(columns) FROM \(records) r WHERE r.refs && $1::text[] AND (r.type, r.name) > ($2, $3)
                )
                SELECT \(columns) FROM r ORDER BY r.type, r.name LIMIT $4
                """, [.texts(texts), .text(place.type), .text(place.name), limit])
        case .index(let type, let slot, let ranges, let isDescending, let isDistributed):
            return page(type, slot, ranges, isDescending, isDistributed, place, limit)
        }
    }

    private func page(
        _ type: String, _ slot: Int, _ ranges: [SortKeyRange], _ isDescending: Bool, _ isDistributed: Bool,
        _ place: RecordPlace, _ limit: Parameter
    ) -> Statement {
        let key = "r.keys[\(slot)]"
        let direction = isDescending ? "DESC" : "ASC"
        var condition = "r.name > $6"
        var parameters: [Parameter] = [.text(type)]
        var ranges = ranges
        if let placeKey = place.key {
            // Ranges before the position are omitted here: the condition below is about the rest of one range.
            let bytes = Array(placeKey.utf8)
            ranges = ranges.filter { range in
                isDescending
                    ? !bytes.lexicographicallyPrecedes(range.lower.bytes)
                    : range.upper.map { bytes.lexicographicallyPrecedes($0.bytes) } ?? true
            }
            condition =
                isDescending
                ? "\(key) <= $5 AND (\(key) < $5 OR r.name > $6)"
                : "(\(key), r.name) > ($5, $6)"
        }
        parameters += Self.parameters(of: ranges) + [limit, .text(place.key ?? ""), .text(place.name)]
        // If only the name counts, the statement does not use the fifth parameter.
        let unused = place.key == nil ? "AND $5 IS NOT NULL " : ""
        func rows(in range: String) -> String {
            """
            SELECT \(StoredRecords.columns), \(key) AS key FROM \(records) r
            WHERE r.type = $1 AND \(range) AND \(key) IS NOT NULL AND r.body IS NOT NULL AND \(condition) \(unused)
            ORDER BY \(key) \(direction), r.name LIMIT $4
            """
        }
        let text =
            isDistributed
            ? rows(in: Self.condition(key, in: ranges))
            : """
            SELECT r.* FROM unnest($2::text[], $3::text[]) AS i(lower, upper) CROSS JOIN LATERAL (
                \(rows(in: "\(key) >= i.lower AND \(key) < i.upper"))
            ) r ORDER BY r.key \(direction), r.name LIMIT $4
            """
        return Statement("read an index", text, parameters, isKept: !isDistributed)
    }

    /// The condition that a key is in one of the ranges in the parameters 2 and 3.
    ///
    /// A distributed table cannot be read once for each range. The limits of all ranges together let each server read
    /// its index in order.
    private static func condition(_ key: String, in ranges: [SortKeyRange]) -> String {
        func isIn(_ first: Int, _ last: Int) -> String {
            "\(key) >= ($2::text[])[\(first)] AND \(key) < ($3::text[])[\(last)]"
        }
        if ranges.count < 2 { return isIn(1, 1) }
        return isIn(1, ranges.count) + " AND (" + (1...ranges.count).map { isIn($0, $0) }.joined(separator: " OR ")
            + ")"
    }

    func count(ofType type: String) -> Statement {
        Statement(
            "count records of a type", "SELECT count(*) FROM \(records) WHERE type = $1 AND body IS NOT NULL",
            [.text(type)])
    }

    func count(ofType type: String, _ slot: Int, _ ranges: [SortKeyRange]) -> Statement {
        Statement(
            "count records by an index",
            """
            SELECT count(*) FROM unnest($2::text[], $3::text[]) AS i(lower, upper)
            JOIN \(records) r ON r.type = $1 AND r.keys[\(slot)] >= i.lower AND r.keys[\(slot)] < i.upper
            AND r.keys[\(slot)] IS NOT NULL AND r.body IS NOT NULL
            """, [.text(type)] + Self.parameters(of: ranges))
    }

    /// Makes the server count groups with a table of their counts.
    ///
    /// Before the server knows how few keys an index has, it reads the records in the order of the index, each from
    /// another place of the table: a million records take 4.4 s, and 0.5 s in the order of the table.
    static let counted = Statement(
        "count groups by an index",
        "SELECT set_config('enable_indexscan', 'off', true), set_config('enable_sort', 'off', true)")

    /// The keys of an index, the number of records with each, and the name of one of them.
    func groups(ofType type: String, _ slot: Int, _ ranges: [SortKeyRange], atMost most: Int) -> Statement {
        let key = "r.keys[\(slot)]"
        // The server takes a range for a small part of the records, even if it has all keys.
        let hasAll = ranges == [.all]
        return Statement(
            "count groups by an index",
            """
            WITH groups AS MATERIALIZED (
                SELECT count(*) AS count, min(r.name) AS name, \(key) AS key FROM \(records) r
                WHERE r.type = $1 AND \(hasAll ? "true" : Self.condition(key, in: ranges))
                AND \(key) IS NOT NULL AND r.body IS NOT NULL GROUP BY \(key)
            )
            SELECT count, name, key FROM groups LIMIT \(hasAll ? "$2" : "$4")
            """,
            [.text(type)] + (hasAll ? [] : Self.parameters(of: ranges)) + [.integer(Int64(most))])
    }

    static func parameters(of ranges: [SortKeyRange]) -> [Parameter] {
        [.texts(ranges.map(\.lower.text)), .texts(ranges.map { ($0.upper ?? .end).text })]
    }
}
#endif
