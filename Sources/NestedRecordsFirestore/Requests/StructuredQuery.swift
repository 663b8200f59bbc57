import NestedRecords

/// A query of one collection, as Firestore takes it.
///
/// https://firebase.google.com/docs/firestore/reference/rest/v1/StructuredQuery
struct StructuredQuery {
    let collection: String
    var filters: [JSONValue] = []

    /// The path of the document after which the results begin, in the order of the names.
    var after: String?
    var limit: Int?

    /// Whether the documents are returned without their fields.
    var isOfNames = false

    /// Whether the results are in the order of the names.
    var isOrdered = true

    init(_ collection: String) { self.collection = collection }

    var json: JSONValue {
        let name = JSONValue.object(["fieldPath": "__name__".json])
        let filter: JSONValue? =
            filters.count > 1
            ? .object(["compositeFilter": .object(["op": "AND".json, "filters": .list(filters)])]) : filters.first
        return .object([
            "select": isOfNames ? .object(["fields": .list([name])]) : nil,
            "from": .list([.object(["collectionId": collection.json])]), "where": filter,
            "orderBy": isOrdered ? .list([.object(["field": name, "direction": "ASCENDING".json])]) : nil,
            "startAt": after.map {
                .object(["values": .list([.object(["referenceValue": $0.json])]), "before": .bool(false)])
            },
            "limit": limit.map { .integer($0) },
        ])
    }

    static func filter(_ path: String, _ operation: String, _ value: JSONValue) -> JSONValue {
        .object([
            "fieldFilter": .object([
                "field": .object(["fieldPath": path.json]), "op": operation.json, "value": value,
            ])
        ])
    }

    static func isNull(_ path: String) -> JSONValue {
        .object(["unaryFilter": .object(["op": "IS_NULL".json, "field": .object(["fieldPath": path.json])])])
    }

    static func list(_ values: [JSONValue]) -> JSONValue {
        .object(["arrayValue": .object(["values": .list(values)])])
    }
}
