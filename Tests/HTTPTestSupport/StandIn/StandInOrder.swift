/// The order of the results of a query of the stand-in server, and the place after which they begin.
///
/// https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredQuery
struct StandInOrder {
    let name = [StandInName("__name__")]

    /// The field that the results are sorted by before their names; nil if there is none.
    let field: [StandInName]?

    /// Whether the order is stated, and that of the names alone.
    let isByName: Bool
    private let isDescending: Bool
    private let start: (value: StandInValue?, path: StandInName?)

    init(_ orders: StandInJSON?, _ cursor: StandInJSON?) throws {
        let orders = orders?.list ?? []
        let paths = try orders.map { try StandInDocument.path($0["field"]?["fieldPath"]?.text ?? "") }
        let directions = orders.map { $0["direction"]?.text ?? "ASCENDING" }
        isByName = paths == [name]
        field = isByName ? nil : paths.first
        isDescending = directions.first == "DESCENDING"
        guard isByName || paths.count < 2 || paths.count == 2 && paths[1] == name && Set(directions).count == 1 else {
            throw StandInError.invalid("orders by several fields are not imitated")
        }
        // Names have no descending index of their own:
        // https://firebase.google.com/docs/firestore/query-data/index-overview#automatic_indexing
        if isByName, isDescending { throw StandInError.unmet("The query requires an index.") }
        guard let cursor else {
            start = (nil, nil)
            return
        }
        // "before": whether the position is just before the values.
        let values = try (cursor["values"]?.list ?? []).map { try StandInValue($0, depth: 0) }
        guard cursor["before"]?.bool != true, values.count == max(paths.count, 1),
            case .reference(let path)? = values.last
        else { throw StandInError.invalid("such a cursor is not imitated") }
        start = (field == nil ? nil : values[0], StandInName(path))
    }

    /// Sorts by the field, and by name in the same direction.
    ///
    /// "If an order on `__name__` is not specified, it is appended by default … with the same sort direction as the last order
    /// specified": the page of a structured query. Names are compared as bytes like texts, and values of different types have
    /// an order, too: https://firebase.google.com/docs/firestore/manage-data/data-types
    func sorted(_ found: [(StandInName, StandInDocument)]) -> [(StandInName, StandInDocument)] {
        // Documents without the field are left out:
        // https://firebase.google.com/docs/firestore/query-data/order-limit-data#limitations
        var entries = found.compactMap { path, document in
            let value = field.map { document.value(at: $0) } ?? StandInValue.null
            return value.map { (path: path, document: document, value: $0) }
        }
        func isBefore(_ value: StandInValue, _ path: StandInName, _ other: StandInValue, _ otherPath: StandInName)
            -> Bool
        {
            let order = value.totalOrder(before: other)
            if order != 0 { return (order < 0) != isDescending }
            return path != otherPath && (path < otherPath) != isDescending
        }
        if let path = start.path {
            entries.removeAll { !isBefore(start.value ?? .null, path, $0.value, $0.path) }
        }
        entries.sort { isBefore($0.value, $0.path, $1.value, $1.path) }
        return entries.map { ($0.path, $0.document) }
    }
}

extension StandInValue {
    /// The order of two values of any types.
    func totalOrder(before other: StandInValue) -> Int {
        if rank != other.rank { return rank < other.rank ? -1 : 1 }
        return order(before: other) ?? 0
    }

    // https://firebase.google.com/docs/firestore/manage-data/data-types#value_type_ordering
    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer, .double: 2
        case .time: 3
        case .text: 4
        case .bytes: 5
        case .reference: 6
        case .place: 7
        case .array: 8
        case .map: 9
        }
    }
}
