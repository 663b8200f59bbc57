@_spi(Engines) public import NestedRecords

extension FirestoreRecordDatabase {
    /// Returns a page of a query: Firestore narrows the records, and the library decides and sorts.
    ///
    /// A query without a filter and an order reads the records of its page alone, and one by a field that its filter bounds
    /// reads as many as the page needs. Another query reads every record that passes the part of the filter that Firestore
    /// can decide.
    public func page(_ query: RecordQuery) async throws -> RecordPage {
        if query.filter == nil, query.order.isEmpty, let limit = query.limit, limit > 0 {
            return try await page(inOrderOfNames: query, limit: limit)
        }
        if let page = try await page(inOrderOfAField: query) { return page }
        return try await page(query, among: candidates(for: query))
    }

    private func page(inOrderOfNames query: RecordQuery, limit: Int) async throws -> RecordPage {
        var request = StructuredQuery(names.collection(of: query.recordType))
        request.after =
            try query.checkedStart().map {
                [names.reference(to: try Record.ID(type: query.recordType, name: $0.name))]
            } ?? []
        let found = try await documents(request, atMost: limit < .max ? limit + 1 : limit).map(\.record)
        // The cursors of the library are of this order.
        for (record, next) in zip(found, found.dropFirst()) where next.id < record.id {
            throw RecordError(
                .invalidResponse, reason: "it returned \(next.id) after \(record.id), against the order of names")
        }
        var page = RecordPage(
            of: query, found: Array(found.prefix(limit)), hasMore: found.count > limit, examinedElsewhere: 0)
        page.isPushedDown = true
        return page
    }

    /// All records that may match a query, and others.
    func candidates(for query: RecordQuery) async throws -> [Record] {
        _ = try query.checkedStart()
        if let narrowing = Narrowing(query.filter, names) {
            var request = StructuredQuery(names.collection(of: query.recordType))
            request.filters = narrowing.filters
            request.order = []
            let narrowed = request
            return try await reportingFailures { try await run(narrowed).map(\.record) }
        }
        try checkMayScan(for: "a query of '\(query.recordType)'", hint: Self.hint)
        var found: [Record] = []
        for try await record in storedRecords(ofType: query.recordType) { found.append(record) }
        return found
    }

    private static let hint = "compare a field with a constant, so that Firestore reads fewer documents"

    /// Says which part of a filter Firestore decides.
    public func explanation(of query: RecordQuery) async throws -> String {
        _ = try query.checkedStart()
        try query.filter?.checkSize()
        if query.filter == nil, query.order.isEmpty, query.limit ?? 0 > 0 {
            return "Reads the documents of the page in the order of their names."
        }
        let ordered = OrderedRange(query, names)
        guard let narrowing = ordered?.narrowing ?? Narrowing(query.filter, names) else {
            return QueryPlan.wordsOfScan(query)
        }
        let fields = narrowing.fields.map { "'\($0)'" }.joined(separator: ", ")
        return "Firestore selects documents of \(names.collection(of: query.recordType)) by \(fields). "
            + (ordered == nil ? "Examines each of them." : "Examines them in its order until the page is full.")
    }

    /// Finds references with a request for each type and each 30 records.
    ///
    /// It finds those of records that this library has saved: documents of other programs lack the list of references.
    public func referrers(of ids: [Record.ID]) async throws -> [Record.ID: [RecordReferrer]] {
        var found: [Record.ID: [RecordReferrer]] = [:]
        if ids.isEmpty { return found }
        let sought = Set(ids)
        let types = try await reportingFailures { try await recordTypes() }
        for type in types {
            var seen: Set<Record.ID> = []
            for start in stride(from: 0, to: ids.count, by: Self.mostTargets) {
                var request = StructuredQuery(names.collection(of: type))
                request.order = []
                let targets = ids[start...].prefix(Self.mostTargets).map {
                    JSONValue.object(["stringValue": $0.description.json])
                }
                request.filters = [
                    StructuredQuery.filter(
                        Shadow.referencesPath, "ARRAY_CONTAINS_ANY", StructuredQuery.list(targets))
                ]
                let query = request
                for document in try await reportingFailures({ try await run(query) })
                where seen.insert(document.record.id).inserted {
                    document.record.collectReferrers(to: sought, into: &found)
                }
            }
        }
        return found
    }

    /// The values of `array-contains-any`.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/queries#in_not-in_and_array-contains-any
    private static let mostTargets = 30
}
