package import NestedRecords

/// A person who learns.
package struct User: RecordCodable, Identifiable, Sendable {
    @RecordName package var id: String
    package var name: String

    package init(id: String, name: String) { (self.id, self.name) = (id, name) }
}
