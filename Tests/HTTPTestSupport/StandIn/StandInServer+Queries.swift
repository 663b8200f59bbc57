import NestedRecords

extension StandInServer {
    // https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/runQuery
    func runQuery(_ json: StandInJSON, below parent: String) throws -> StandInJSON {
        try json.checkMembers(["structuredQuery", "transaction", "newTransaction", "readTime"])
        guard let query = json["structuredQuery"] else { throw StandInError.invalid("there is no query") }
        let (found, time) = try results(of: query, below: parent, at: Self.readTime(json))
        let mask: [[StandInName]]? = query["select"].map { _ in [] }
        // An answer without documents has the time at which it was read.
        if found.isEmpty { return .list([.make(["readTime": .text(time.text)])]) }
        return .list(
            found.map { path, document in
                .make(["document": document.json(path, mask: mask), "readTime": .text(time.text)])
            })
    }

    /// "Executes the query at the given timestamp. This must be a microsecond precision timestamp within the past one hour."
    static func readTime(_ json: StandInJSON) throws -> StandInTime? {
        guard let text = json["readTime"]?.text else { return nil }
        guard json["newTransaction"] == nil, text.utf8.count <= 27, let time = StandInTime(text) else {
            throw StandInError.invalid("Invalid value at 'read_time'")
        }
        return time
    }

    /// The documents of a query.
    ///
    /// - Parameter added: The path of a field that an aggregation adds.
    func results(
        of query: StandInJSON, below parent: String, at readTime: StandInTime?, adding added: [StandInName]? = nil
    ) throws -> ([(StandInName, StandInDocument)], StandInTime) {
        try query.checkMembers(["select", "from", "where", "orderBy", "startAt", "limit"])
        guard let selectors = query["from"]?.list, selectors.count == 1,
            let collection = selectors[0]["collectionId"]?.text
        else { throw StandInError.invalid("there is no collection") }
        let start = Array("\(parent)/\(collection)/".utf8)
        let conditions = try Self.conditions(query["where"])
        let order = try StandInOrder(query["orderBy"], query["startAt"])
        try Self.checkIndexes(conditions, order.field.map { [$0] } ?? [], added.map { [$0] } ?? [])
        if let field = order.field ?? (order.isByName ? order.name : nil),
            conditions.contains(where: { $0.isRange && $0.path != field })
        {
            // "the field must be the first in the order", at the page of a structured query.
            throw StandInError.invalid("inequality filter property and first sort order must be the same")
        }
        return state.withLock { state in
            var found: [(StandInName, StandInDocument)] = []
            for (path, document) in readTime.map({ state.documents(at: $0) }) ?? state.documents
            where path.bytes.starts(with: start) && !path.bytes.dropFirst(start.count).contains(UInt8(ascii: "/"))
                && conditions.allSatisfy({ $0.holds(for: document) })
            {
                found.append((path, document))
            }
            found = order.sorted(found)
            let time = readTime ?? Self.tick(&state)
            return (Array(found.prefix(query["limit"]?.number.map { Int($0) } ?? .max)), time)
        }
    }

    private struct Condition {
        let path: [StandInName]
        let operation: String
        let value: StandInValue

        var isRange: Bool { operation.hasPrefix("LESS_THAN") || operation.hasPrefix("GREATER_THAN") }

        /// https://firebase.google.com/docs/firestore/query-data/queries: documents without the field never match.
        func holds(for document: StandInDocument) -> Bool {
            guard let found = document.value(at: path) else { return false }
            let order = found.order(before: value)
            switch operation {
            case "EQUAL", "IS_NULL": return order == 0
            case "LESS_THAN": return order == -1
            case "LESS_THAN_OR_EQUAL": return order == -1 || order == 0
            case "GREATER_THAN": return order == 1
            case "GREATER_THAN_OR_EQUAL": return order == 1 || order == 0
            case "IN":
                guard case .array(let values) = value else { return false }
                return values.contains { found.order(before: $0) == 0 }
            case "ARRAY_CONTAINS":
                guard case .array(let elements) = found else { return false }
                return elements.contains { $0.order(before: value) == 0 }
            case "ARRAY_CONTAINS_ANY":
                guard case .array(let elements) = found, case .array(let values) = value else { return false }
                return elements.contains { element in values.contains { element.order(before: $0) == 0 } }
            default: return false
            }
        }
    }

    private static func conditions(_ json: StandInJSON?) throws -> [Condition] {
        guard let json else { return [] }
        try json.checkMembers(["compositeFilter", "fieldFilter", "unaryFilter"])
        if let composite = json["compositeFilter"] {
            guard composite["op"]?.text == "AND", let filters = composite["filters"]?.list, !filters.isEmpty else {
                throw StandInError.invalid("found another combination than AND")
            }
            return try filters.flatMap { try conditions($0) }
        }
        if let unary = json["unaryFilter"] {
            guard unary["op"]?.text == "IS_NULL" else { throw StandInError.invalid("found an unknown unary filter") }
            let path = try StandInDocument.path(unary["field"]?["fieldPath"]?.text ?? "")
            return [Condition(path: path, operation: "IS_NULL", value: .null)]
        }
        guard let filter = json["fieldFilter"], let operation = filter["op"]?.text, let value = filter["value"] else {
            throw StandInError.invalid("found an unknown filter")
        }
        let condition = Condition(
            path: try StandInDocument.path(filter["field"]?["fieldPath"]?.text ?? ""), operation: operation,
            value: try StandInValue(value, depth: 0))
        if ["IN", "ARRAY_CONTAINS_ANY"].contains(operation) {
            // "up to 30": https://firebase.google.com/docs/firestore/query-data/queries#in_not-in_and_array-contains-any
            guard case .array(let values) = condition.value, (1...30).contains(values.count) else {
                throw StandInError.invalid("'\(operation)' supports up to 30 comparison values.")
            }
        }
        return [condition]
    }

    /// Conjunctions of equalities use the indexes that each field has; others need one of their own.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/index-overview#merge_indexes
    ///
    /// An order and an aggregation use the index of their field:
    /// https://firebase.google.com/docs/firestore/query-data/aggregation-queries
    private static func checkIndexes(
        _ conditions: [Condition], _ ordered: [[StandInName]], _ added: [[StandInName]]
    ) throws {
        let ranges = conditions.filter { !["EQUAL", "IS_NULL"].contains($0.operation) }.map(\.path)
        let others = Set(ranges + ordered + added)
        let equal = Set(conditions.map(\.path)).subtracting(others)
        if others.count > 1 || !others.isEmpty && !equal.isEmpty {
            throw StandInError.unmet(
                "The query requires an index. You can create it here: https://console.firebase.google.com/indexes")
        }
    }
}

extension StandInDocument {
    func value(at path: [StandInName]) -> StandInValue? {
        var value: StandInValue? = .map(fields)
        for name in path {
            guard case .map(let fields)? = value else { return nil }
            value = fields[name]
        }
        return value
    }
}
