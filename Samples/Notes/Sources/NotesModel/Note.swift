import NestedRecords

package struct Note: RecordCodable, Identifiable {
    @RecordName package var id: String
    package var owner: String
    package var text: String

    package init(id: String, owner: String, text: String) { (self.id, self.owner, self.text) = (id, owner, text) }
}
