import NestedRecords

extension StandInServer {
    /// "Support for count, sum and average", up to five at once.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/aggregation-queries
    func runAggregationQuery(_ json: StandInJSON, below parent: String) throws -> StandInJSON {
        try json.checkMembers(["structuredAggregationQuery", "transaction", "newTransaction", "readTime"])
        guard let query = json["structuredAggregationQuery"], let inner = query["structuredQuery"],
            let aggregations = query["aggregations"]?.list, (1...5).contains(aggregations.count)
        else { throw StandInError.invalid("there is no aggregation") }
        try query.checkMembers(["structuredQuery", "aggregations"])
        let paths = try aggregations.map { aggregation in
            try aggregation.checkMembers(["alias", "count", "sum"])
            return try aggregation["sum"].map { try StandInDocument.path($0["field"]?["fieldPath"]?.text ?? "") }
        }
        let added = paths.compactMap { $0 }
        if added.count > 1 { throw StandInError.invalid("several sums are not imitated") }
        let readTime = try Self.readTime(json)
        let (found, time) = try results(of: inner, below: parent, at: readTime, adding: added.first)
        // Documents without a field that is added are in no index of it, and are not counted either.
        let counted = added.first.map { path in found.filter { $0.1.value(at: path) != nil } } ?? found
        let fields = zip(aggregations, paths).map { aggregation, path in
            let value =
                path.map { path in Self.sum(found.compactMap { $0.1.value(at: path) }) }
                ?? .integer(Int64(counted.count))
            return (aggregation["alias"]?.text ?? "", value.json)
        }
        return .list([
            .make(["result": .make(["aggregateFields": .object(fields)]), "readTime": .text(time.text)])
        ])
    }

    /// "Only numeric values will be aggregated." "If the aggregated value set is empty, returns 0." "Returns a 64-bit integer if all
    /// aggregated numbers are integers and the sum result does not overflow. Otherwise, the result is returned as a double."
    ///
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredAggregationQuery
    private static func sum(_ values: [StandInValue]) -> StandInValue {
        var (integers, doubles, isWhole) = (Int64(0), 0.0, true)
        for value in values {
            switch value {
            case .integer(let number):
                let (sum, overflows) = integers.addingReportingOverflow(number)
                integers = sum
                isWhole = isWhole && !overflows
                doubles += Double(number)
            case .double(let number):
                isWhole = false
                doubles += number
            default: continue
            }
        }
        return isWhole ? .integer(integers) : .double(doubles)
    }
}
