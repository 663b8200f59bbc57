#if SQLite
    import NestedRecords

    /// A statement that reads a part of an index.
    struct IndexSegment {
        let sql: String
        let values: [Statement.Value]
    }

    /// The statements of queries; few, so that each is prepared once.
    enum QueryStatement {
        /// By the keys of an index behind a place, with the names in order among the same keys.
        static let ascending = """
            SELECT entries.record, records.body FROM entries CROSS JOIN records ON records.number = entries.record
            WHERE entries.field_index = ?1 AND (entries.key, entries.name) > (?2, ?3) AND entries.key < ?4
            ORDER BY entries.key, entries.name
            """

        /// From the greatest key of an index to the least, with the names in order among the same keys.
        ///
        /// SQLite sorts the names of each key on its own, and no more of them than the limit.
        static let descending = """
            SELECT entries.record, records.body FROM entries CROSS JOIN records ON records.number = entries.record
            WHERE entries.field_index = ?1 AND entries.key >= ?2 AND entries.key < ?3
            ORDER BY entries.key DESC, entries.name LIMIT ?4
            """

        /// With names of a list, whose positions come with the rows.
        static let byNames = """
            SELECT list.key, records.number, records.body FROM json_each(?1) AS list
            CROSS JOIN records ON records.type = ?2 AND records.name = list.value
            """

        /// By the names of a type.
        static let byName = """
            SELECT number, body FROM records WHERE type = ?1 AND name > ?2 AND body IS NOT NULL ORDER BY name
            """

        static let count = "SELECT count(*) FROM entries WHERE field_index = ?1 AND key >= ?2 AND key < ?3"

        /// The rows of deleted records are few, and in an index of their own.
        static let countOfType = """
            SELECT (SELECT count(*) FROM records INDEXED BY records_by_name WHERE type = ?1)
                - (SELECT count(*) FROM records INDEXED BY deletions WHERE type = ?1 AND body IS NULL)
            """

        /// Greater than every key: these begin with a digit or an A.
        static let behindAllKeys = "B"
    }

    extension SortKeyRange {
        fileprivate var upperText: String { upper?.text ?? QueryStatement.behindAllKeys }
    }

    extension Connection {
        /// What to read for a plan, one after the other.
        ///
        /// - Parameter limit: How many records are enough; nil if that is not known.
        func segments(of plan: QueryPlan, type: String, in list: IndexList, limit: Int?) throws -> [IndexSegment] {
            guard let index = plan.index else {
                let values: [Statement.Value] = [.text(type), .text(plan.start?.name ?? "")]
                return plan.ranges.isEmpty ? [] : [IndexSegment(sql: QueryStatement.byName, values: values)]
            }
            guard let number = list.number(of: index) else { return [] }
            func ascending(_ key: String, _ name: String, to upper: String) -> IndexSegment {
                IndexSegment(
                    sql: QueryStatement.ascending, values: [.int(number), .text(key), .text(name), .text(upper)])
            }
            func descending(_ lower: String, to upper: String) -> IndexSegment {
                IndexSegment(
                    sql: QueryStatement.descending,
                    values: [.int(number), .text(lower), .text(upper), .int(limit.map { Int64($0) } ?? -1)])
            }
            var segments: [IndexSegment] = []
            for range in plan.isDescending ? plan.ranges.reversed() : plan.ranges {
                let (lower, upper) = (range.lower.text, range.upperText)
                // The order is that of the names alone where all records have the one key of the range.
                let start = plan.start.map { (key: $0.key ?? range.lower, name: $0.name) }
                guard let start, start.key >= range.lower || plan.isDescending else {
                    segments.append(plan.isDescending ? descending(lower, to: upper) : ascending(lower, "", to: upper))
                    continue
                }
                let isInside = range.contains(start.key)
                if !plan.isDescending {
                    if isInside { segments.append(ascending(start.key.text, start.name, to: upper)) }
                } else if isInside {
                    // The rest of the records with the same key, and those with lesser ones.
                    let same = SortKeyRange.point(start.key)
                    segments.append(ascending(start.key.text, start.name, to: same.upperText))
                    segments.append(descending(lower, to: start.key.text))
                } else if start.key > range.lower {
                    segments.append(descending(lower, to: upper))
                }
            }
            return segments
        }

        /// Calls the closure with the bytes of the records that a plan leads to, until it returns false.
        func visit(
            _ segments: [IndexSegment], _ body: (BytesInPlace, _ number: Int64) throws -> Bool
        ) throws {
            var goesOn = true
            for segment in segments where goesOn {
                try forEachRow(segment.sql, segment.values) { row in
                    try checkCancellation()
                    guard let bytes = row.bytes(1) else {
                        throw SQLiteRecordDatabaseError.corrupt(
                            path: path, record: nil, what: "an index leads to a record that was deleted")
                    }
                    do {
                        goesOn = try body(bytes, row.int(0))
                    } catch let error as RecordFormatError {
                        throw damaged(error)
                    }
                    return goesOn
                }
            }
        }

        /// The records that the terms of a filter that follow references may lead to.
        func targets(
            of filter: RecordFilter?, in list: IndexList
        ) throws -> (ids: [Int: Set<Record.ID>], examinedCount: Int) {
            try RecordFilterPart.targets(of: filter) { type, part in
                var matcher = try BinaryMatcher(part)
                let plan = QueryPlan(part, ofType: type, indexes: list.indexes)
                try visit(try segments(of: plan, type: type, in: list, limit: nil)) { bytes, number in
                    try matcher.visit(bytes, at: UInt64(bitPattern: number))
                    return true
                }
                return (matcher.ids, matcher.examinedCount)
            }
        }

        /// A page of a query, within a transaction.
        func page(_ query: RecordQuery) throws -> RecordPage {
            let list = try indexList()
            let targets = try targets(of: query.filter, in: list)
            let plan = try QueryPlan(query, targets: targets.ids, indexes: list.indexes)
            // Whoever wants no record wants to know how many there are.
            let limit = query.limit.flatMap { $0 > 0 && plan.isOrdered ? $0 : nil }
            let readLimit = limit.flatMap { plan.isCovered && $0 < Int.max ? $0 + 1 : nil }
            let segments = try segments(of: plan, type: query.recordType, in: list, limit: readLimit)
            var page: RecordPage
            if plan.isCovered, limit != nil || query.limit == nil {
                // All that is read belongs to the page, but for the record behind it.
                var scan = try QueryScan(query, targets: targets.ids)
                try visit(segments) { bytes, _ in
                    scan.add(try record(from: bytes))
                    return limit == nil || !scan.hasMore
                }
                page = scan.page(examinedElsewhere: targets.examinedCount)
            } else {
                var scan = try BinaryQueryScan(query, targets: targets.ids)
                try visit(segments) { bytes, number in
                    try scan.visit(bytes, at: UInt64(bitPattern: number))
                    return limit == nil || !scan.hasMore
                }
                let records = try scan.locations.compactMap { try record(inRow: Int64(bitPattern: $0)) }
                page = scan.page(of: records, examinedElsewhere: targets.examinedCount)
            }
            let isWhole = query.limit == nil && query.after == nil
            page.statistics.isPushedDown = plan.isCovered && (plan.isOrdered || isWhole)
            return page
        }

        /// How many records a query finds, within a transaction.
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
                        QueryStatement.count, .int(number), .text(range.lower.text), .text(range.upperText)
                    ) { $0.int(0) }
                    return sum + Int(count ?? 0)
                }
            }
            var scan = try BinaryQueryScan(
                RecordQuery(query.recordType, where: query.filter, limit: 0), targets: targets.ids)
            try visit(try segments(of: plan, type: query.recordType, in: list, limit: nil)) { bytes, number in
                try scan.visit(bytes, at: UInt64(bitPattern: number))
                return true
            }
            return scan.page(of: [], examinedElsewhere: 0).statistics.matchCount
        }

        /// How SQLite reads for a query, for tests: the lines of its explanation.
        func explanation(of query: RecordQuery) throws -> [String] {
            let list = try indexList()
            let plan = try QueryPlan(
                query, targets: try targets(of: query.filter, in: list).ids, indexes: list.indexes)
            var lines: [String] = []
            for segment in try segments(of: plan, type: query.recordType, in: list, limit: query.limit) {
                try forEachRow("EXPLAIN QUERY PLAN " + segment.sql, segment.values) {
                    lines.append($0.text(3))
                    return true
                }
            }
            return lines
        }
    }
#endif
