@_spi(Engines) public import NestedRecords

// Firestore counts and adds where its result is exact, and the library does otherwise.

extension FirestoreRecordDatabase {
    /// Counts the records of a query.
    ///
    /// Firestore does without a filter, and with one that consists of equalities with strings, Booleans, references and null, or
    /// of one list of such values, one range of strings or one beginning. Otherwise the records are read as for a page.
    public func count(_ query: RecordQuery) async throws -> Int {
        var request = StructuredQuery(names.collection(of: query.recordType))
        request.order = []
        if let filter = query.filter {
            try filter.checkSize()
            guard let narrowing = Narrowing(filter, names), narrowing.isExact else {
                return try await page(RecordQuery(query.recordType, where: filter, limit: 0)).matchCount
            }
            request.filters = narrowing.filters
        }
        return Int(try await reportingFailures { [request] in try await aggregates(of: request).count })
    }

    /// Summarizes the records of a query.
    ///
    /// Firestore does without a filter and a group if each record of the type has an integer in the field, and the sum is one.
    /// Otherwise the records are read as for a page.
    public func summaries(
        of query: RecordQuery, field: FieldPath?, groupedBy group: RecordGrouping?
    ) async throws -> [RecordSummary] {
        if group == nil, query.filter == nil,
            let summary = try await reportingFailures({ try await summary(of: query.recordType, field) })
        {
            return [summary]
        }
        let targets = try await targets(of: query.filter).ids
        var scan = try RecordSummaryScan(RecordFilterPart(query.filter, targets: targets), of: field, groupedBy: group)
        for record in try await candidates(for: query) { try scan.add(record) }
        return scan.summaries
    }

    /// The summary of all records of a type; nil if Firestore's would not be exact, or needs an index that is switched off.
    ///
    /// All requests see the moment of the first one.
    private func summary(of type: String, _ field: FieldPath?) async throws -> RecordSummary? {
        var all = StructuredQuery(names.collection(of: type))
        all.order = []
        guard let field else {
            let count = Int(try await aggregates(of: all).count)
            return RecordSummary(
                group: nil, count: count, numberCount: 0, sum: .int(0), average: nil, min: nil, max: nil, double: 0)
        }
        guard let path = names.path(of: field) else { return nil }
        do {
            var numbers = all
            numbers.filters = [StructuredQuery.filter(path, "GREATER_THAN_OR_EQUAL", NativeValue.integer(.min))]
            let (count, sum, time) = try await aggregates(of: numbers, sumOf: path)
            // Lists, maps, null and numbers that are not finite are not among these.
            guard let sum, try await aggregates(of: all, at: time).count == count else { return nil }
            numbers.order = [path]
            numbers.limit = 1
            var ends: [Record.Value] = []
            for isDescending in count == 0 ? [] : [false, true] {
                numbers.isDescending = isDescending
                guard let record = try await run(numbers, at: time).first?.record,
                    case .int(let end)? = field.value(in: record)
                else { return nil }
                ends.append(.int(end))
            }
            return RecordSummary(
                group: nil, count: Int(count), numberCount: Int(count), sum: .int(sum),
                average: count == 0 ? nil : Double(sum) / Double(count), min: ends.first, max: ends.last,
                double: Double(sum))
        } catch let failure as FirestoreFailure where failure.isUnmetPrecondition {
            return nil
        }
    }

    /// The number of the documents of a query, and the sum of a field.
    ///
    /// The sum is nil unless each number is an integer, and the sum too: "returns a 64-bit integer if all aggregated numbers are
    /// integers and the sum result does not overflow".
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredAggregationQuery
    private func aggregates(
        of query: StructuredQuery, sumOf path: String? = nil, at time: String? = nil
    ) async throws -> (count: Int64, sum: Int64?, time: String) {
        var wanted = [JSONValue.object(["alias": "count".json, "count": .object([:])])]
        if let path {
            wanted.append(.object(["alias": "sum".json, "sum": .object(["field": StructuredQuery.field(path)])]))
        }
        let body = JSONValue.object([
            "structuredAggregationQuery": .object([
                "structuredQuery": query.json, "aggregations": .list(wanted),
            ]), "readTime": time?.json,
        ])
        let answers = try await exchange.list("runAggregationQuery", in: names.root, body)
        let answer = answers.first { $0["result"] != nil }
        let fields = answer?["result"]?["aggregateFields"]
        guard let count = fields?["count"]?["integerValue"].flatMap(NativeValue.integer),
            let time = answer?["readTime"]?.text
        else { throw FirestoreExchange.cut("runAggregationQuery") }
        return (count, fields?["sum"]?["integerValue"].flatMap(NativeValue.integer), time)
    }
}
