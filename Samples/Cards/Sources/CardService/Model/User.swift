import NestedRecords

/// A person who learns.
struct User: RecordCodable, Identifiable, Sendable {
    @RecordName var id: String
    var name: String
}
