/// A field of all records of a type.
struct RecordField: Hashable {
    let type: String
    let name: String
}
