import NestedRecords

/// A query of one collection, as Firestore takes it.
///
/// https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredQuery
struct StructuredQuery {
    let collection: String
    var filters: [JSONValue] = []

    /// The paths to order by; empty for the order of an index.
    var order: [String] = ["__name__"]

    /// Whether the last value of each path comes first.
    var isDescending = false

    /// The place after which the results begin: a value for each path of the order.
    var after: [JSONValue] = []
    var limit: Int?

    /// Whether the documents are returned without their fields.
    var isOfNames = false

    init(_ collection: String) { self.collection = collection }

    var json: JSONValue {
        let filter: JSONValue? =
            filters.count > 1
            ? .object(["compositeFilter": .object(["op": "AND".json, "filters": .list(filters)])]) : filters.first
        let direction = isDescending ? "DESCENDING" : "ASCENDING"
        let orders = order.map { JSONValue.object(["field": Self.field($0), "direction": direction.json]) }
        return .object([
            "select": isOfNames ? .object(["fields": .list([Self.field("__name__")])]) : nil,
            "from": .list([.object(["collectionId": collection.json])]), "where": filter,
            "orderBy": orders.isEmpty ? nil : .list(orders),
            "startAt": after.isEmpty ? nil : .object(["values": .list(after), "before": .bool(false)]),
            "limit": limit.map { .integer($0) },
        ])
    }

    static func field(_ path: String) -> JSONValue { .object(["fieldPath": path.json]) }

    static func filter(_ path: String, _ operation: String, _ value: JSONValue) -> JSONValue {
        .object(["fieldFilter": .object(["field": field(path), "op": operation.json, "value": value])])
    }

    static func isNull(_ path: String) -> JSONValue {
        .object(["unaryFilter": .object(["op": "IS_NULL".json, "field": field(path)])])
    }

    static func list(_ values: [JSONValue]) -> JSONValue {
        .object(["arrayValue": .object(["values": .list(values)])])
    }

    static func reference(_ path: String) -> JSONValue { .object(["referenceValue": path.json]) }
}
