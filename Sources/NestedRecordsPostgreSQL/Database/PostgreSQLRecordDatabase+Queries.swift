#if PostgreSQL
@_spi(Engines) public import NestedRecords

extension PostgreSQLRecordDatabase {
    /// The indexes of the tables, whatever the options of this database declare.
    package func storedIndexes() async throws -> [FieldIndex] { try await readCatalog().indexes }

    /// A page of the records that match a query.
    ///
    /// With a declared index for a comparison or the order of the query, the server reads no more records than the page
    /// has, or those that the index finds, and the rest of the filter is evaluated here. Without one, every record of
    /// the type is read.
    ///
    /// - Throws: `RecordError`, `RecordDatabaseError` and `CancellationError`.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        let catalog = try await knownCatalog()
        let (targets, examined) = try await targets(of: query.filter, catalog)
        let (plan, inOrder) = try QueryPlan.alternatives(query, targets: targets, indexes: catalog.indexes)
        if let inOrder, let scan = try await scan(query, targets, plan, inOrder, catalog) {
            return scan.page(examinedElsewhere: examined)
        }
        let fields = plan.isCovered ? query.readFields : nil
        // Without its other fields a record cannot be tested again.
        var scan = try QueryScan(query, targets: targets, isCovered: fields != nil)
        let limit = query.limit.map { max(0, $0) }
        var (bytes, fits) = (PageBytes(query), true)
        if let pages = pages(
            ofType: query.recordType, plan, catalog,
            limit: plan.isPushedDown ? limit.map { min($0, 1_000) + 1 } : nil, areLarge: query.byteLimit != nil,
            fields: fields)
        {
            var pages = pages
            while let records = try await pages.next() {
                for record in records {
                    scan.add(record)
                    if plan.isPushedDown, limit != 0, !bytes.add(record) { fits = false }
                }
                if plan.isOrdered, limit != 0, scan.hasMore || !fits { break }
            }
        }
        var page = scan.page(examinedElsewhere: examined)
        page.isPushedDown = plan.isPushedDown
        return page
    }

    /// The scan of the records in the ranges of both plans; nil if it is better to read all that the filter's index selects.
    private func scan(
        _ query: RecordQuery, _ targets: [Int: Set<Record.ID>], _ plan: QueryPlan, _ inOrder: QueryPlan,
        _ catalog: Catalog
    ) async throws -> QueryScan? {
        if catalog.isDistributed { return try await scanInTurn(query, targets, [plan, inOrder], catalog) }
        guard var pages = candidates(query, plan, inOrder, catalog) else { return nil }
        var scan = try QueryScan(query, targets: targets)
        while let records = try await pages.next() {
            for record in records { scan.add(record) }
            if scan.hasMore { break }
            if pages.repeatsSelection { return nil }
        }
        return scan
    }

    func candidates(
        _ query: RecordQuery, _ plan: QueryPlan, _ inOrder: QueryPlan, _ catalog: Catalog, least: Int = 100
    ) -> CandidatePages? {
        guard let filterSlot = plan.index.flatMap(catalog.slot) else { return nil }
        let range = CandidateRange(
            type: query.recordType, filterSlot: filterSlot, filterRanges: plan.ranges,
            orderSlot: inOrder.index.flatMap(catalog.slot), orderRanges: inOrder.ranges,
            isDescending: inOrder.isDescending)
        return CandidatePages(
            of: self, range, after: inOrder.start.map { place(query.recordType, $0) }, limit: query.limit ?? 1,
            least: least)
    }

    /// The scan of the plan that is the first to have the page: both are read in turn, each time more records.
    ///
    /// A cluster executes all steps of the statement for candidates, needed or not, each of them on all of its servers.
    private func scanInTurn(
        _ query: RecordQuery, _ targets: [Int: Set<Record.ID>], _ plans: [QueryPlan], _ catalog: Catalog
    ) async throws -> QueryScan {
        var scans = try plans.map { _ in try QueryScan(query, targets: targets) }
        var pages = plans.map { self.pages(ofType: query.recordType, $0, catalog) }
        var wantedCount = max(query.limit ?? 1, 100)
        while true {
            for (position, plan) in plans.enumerated() {
                var count = 0
                while count < wantedCount {
                    guard let records = try await pages[position]?.next() else { return scans[position] }
                    for record in records { scans[position].add(record) }
                    if plan.isOrdered, scans[position].hasMore { return scans[position] }
                    count += records.count
                }
            }
            wantedCount *= 4
        }
    }

    /// The versions of a type's records in the order of their names: see `RecordDatabase`.
    ///
    /// - Throws: `RecordDatabaseError`, and `CancellationError`.
    /// - Complexity: One statement.
    public func versions(ofType type: String, after name: String?, limit: Int) async throws -> [RecordBatch.VersionedID]
    {
        if limit < 0 { throw RecordError(.invalidLimit, reason: "it is \(limit)") }
        // The server accepts no text with a NUL, which no record type or stored name contains.
        if type.utf8.contains(0) { return [] }
        let start = name.map { String(decoding: $0.utf8.prefix { $0 != 0 }, as: UTF8.self) } ?? ""
        let rows = try await read(tables.versions(ofType: type, after: start, limit: limit))
        return try (0..<rows.count).map { row in
            guard let name = rows.text(row, 0), let tag = rows.text(row, 1) else {
                throw RecordDatabaseError(.corrupt, reason: "the name or the change tag of a record is missing")
            }
            return RecordBatch.VersionedID(try Record.ID(type: type, name: name), version: .changeTag(tag))
        }
    }

    /// The number of records that match a query; its order, limit and cursor are ignored.
    ///
    /// - Throws: The errors of ``page(_:)``.
    /// - Complexity: One statement, if the query has no filter or an index covers it.
    public func count(_ query: RecordQuery) async throws -> Int {
        let catalog = try await knownCatalog()
        let (targets, _) = try await targets(of: query.filter, catalog)
        let part = RecordFilterPart(query.filter, targets: targets)
        let plan = QueryPlan(part, ofType: query.recordType, indexes: catalog.indexes)
        if plan.ranges.isEmpty { return 0 }
        if plan.isCovered {
            let type = query.recordType
            // The server accepts no text with a NUL, which no record type contains.
            if type.utf8.contains(0) { return 0 }
            let slot = plan.index.flatMap(catalog.slot)
            let statement = slot.map { tables.count(ofType: type, $0, plan.ranges) } ?? tables.count(ofType: type)
            return Int(try await read(statement).integer(0, 0) ?? 0)
        }
        var matcher = try RecordMatcher(part)
        var count = 0
        var pages = pages(ofType: query.recordType, plan, catalog)
        while let records = try await pages?.next() {
            for record in records where matcher.holds(for: record) { count += 1 }
        }
        return count
    }

    /// The plan of a query in English sentences; the server may order its own steps in another way.
    ///
    /// - Throws: The errors of ``page(_:)``.
    public func explanation(of query: RecordQuery) async throws -> String {
        let catalog = try await knownCatalog()
        let targets = try await targets(of: query.filter, catalog).ids
        let (plan, inOrder) = try QueryPlan.alternatives(query, targets: targets, indexes: catalog.indexes)
        return plan.words(for: query, or: inOrder)
    }

    /// Summaries of the records that match a query: see `RecordDatabase`.
    ///
    /// - Throws: `RecordError.Code.invalidSummary`, and the errors of ``page(_:)``.
    /// - Complexity: O(*n*) for *n* records that an index cannot exclude. Groups are counted by one statement if an index
    ///   has the whole filter, and its last path is that of the groups, after paths with one value each.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        let catalog = try await knownCatalog()
        let part = RecordFilterPart(query.filter, targets: try await targets(of: query.filter, catalog).ids)
        if field == nil, let group,
            let plan = QueryPlan(part, ofType: query.recordType, groupedBy: group, indexes: catalog.indexes),
            let summaries = try await countedGroups(plan, ofType: query.recordType, by: group, catalog)
        {
            return summaries
        }
        let plan = QueryPlan(part, ofType: query.recordType, indexes: catalog.indexes)
        var scan = try RecordSummaryScan(part, of: field, groupedBy: group)
        var pages = pages(ofType: query.recordType, plan, catalog)
        while let records = try await pages?.next() {
            for record in records { try scan.add(record) }
        }
        return scan.summaries
    }

    /// The groups, counted in an index; nil if they are too many to read a record for each, or if one of these records has
    /// changed since they were counted.
    private func countedGroups(
        _ plan: QueryPlan, ofType type: String, by group: RecordGrouping, _ catalog: Catalog
    ) async throws -> [RecordSummary]? {
        guard let index = plan.index, let slot = catalog.slot(of: index), !type.utf8.contains(0) else { return nil }
        let most = SummaryBuilder.mostCountedGroups
        let rows = try await read(
            tables.groups(ofType: type, slot, plan.ranges, atMost: most + 1), with: [Tables.counted])
        if rows.count > most { return nil }
        let groups = try (0..<rows.count).map { row in
            (
                id: try Record.ID(type: type, name: rows.text(row, 1) ?? ""), key: rows.text(row, 2),
                count: Int(rows.integer(row, 0) ?? 0)
            )
        }
        var builder = SummaryBuilder(of: nil, groupedBy: group)
        for start in stride(from: 0, to: groups.count, by: Self.groupsInOneCall) {
            let part = groups[start..<min(start + Self.groupsInOneCall, groups.count)]
            let found = try await records(for: part.map { $0.id })
            let records = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
            for (id, key, count) in part {
                guard let record = records[id], index.key(of: record).text == key else { return nil }
                try builder.add(group: group.path.value(in: record), field: nil, count: count)
            }
        }
        return builder.summaries
    }

    private static var groupsInOneCall: Int { 100 }

    /// The references to records, in any field of any record.
    ///
    /// An index on the server finds the records that hold them.
    ///
    /// - Throws: `RecordDatabaseError` and `CancellationError`.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        var found: [Record.ID: [RecordReferrer]] = [:]
        try await forEachReferrer(of: ids) { $0.collectReferrers(to: $1, into: &found) }
        return found
    }

    /// Calls the closure with each record that refers to some of the given ones, and these; perhaps several times.
    func forEachReferrer(of ids: [Record.ID], _ body: (Record, Set<Record.ID>) -> Void) async throws {
        let sought = Array(Set(ids))
        for start in stride(from: 0, to: sought.count, by: Self.mostTargets) {
            let part = Set(sought[start..<min(start + Self.mostTargets, sought.count)])
            var pages = RecordPages(of: self, .referring(part.map(\.description)))
            while let records = try await pages.next() { for record in records { body(record, part) } }
        }
    }

    /// The number of records that are searched for together: each page of referrers passes all of them.
    private static var mostTargets: Int { 1_000 }

    private func targets(
        of filter: RecordFilter?, _ catalog: Catalog
    ) async throws -> (ids: [Int: Set<Record.ID>], examinedCount: Int) {
        try await RecordFilterPart.targets(of: filter) { type, part in
            let plan = QueryPlan(part, ofType: type, indexes: catalog.indexes)
            var matcher = try RecordMatcher(part)
            var (ids, examined): (Set<Record.ID>, Int) = ([], 0)
            var pages = pages(ofType: type, plan, catalog)
            while let records = try await pages?.next() {
                examined += records.count
                for record in records where matcher.holds(for: record) { ids.insert(record.id) }
            }
            return (ids, examined)
        }
    }

    private func pages(
        ofType type: String, _ plan: QueryPlan, _ catalog: Catalog, limit: Int? = nil, areLarge: Bool = false,
        fields: Set<String>? = nil
    ) -> RecordPages? {
        if plan.ranges.isEmpty { return nil }
        return RecordPages(
            of: self, range(ofType: type, plan, catalog), after: plan.start.map { place(type, $0) }, limit: limit,
            areLarge: areLarge, fields: fields)
    }

    private func place(_ type: String, _ start: QueryPlan.Start) -> RecordPlace {
        RecordPlace(type: type, name: start.name, key: start.key?.text)
    }

    private func range(ofType type: String, _ plan: QueryPlan, _ catalog: Catalog) -> RecordRange {
        guard let slot = plan.index.flatMap(catalog.slot) else { return .type(type) }
        return .index(
            type: type, slot: slot, ranges: plan.ranges, isDescending: plan.isDescending,
            isDistributed: catalog.isDistributed)
    }
}

#endif
