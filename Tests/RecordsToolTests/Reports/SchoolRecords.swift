/// A small school as typed lines, with everything that reports have words for.
enum SchoolRecords {
    /// A cycle, a repeat, a link, a record that is missing, an embedded reference, and wide characters.
    static let lines = [
        #"{"id":"Person/ada","fields":{"name":"Ada Adams","mentor":{"$ref":"Person/bo","link":true}}}"#,
        #"{"id":"Person/bo","fields":{"name":"Bo 王小明","age":11,"house":{"$ref":"House/north"}}}"#,
        #"{"id":"House/north","fields":{"title":"North","colours":["red"],"head":{"$ref":"Person/ada"}}}"#,
        """
        {"id":"School/hilltop","fields":{"id":"hilltop","name":"Hilltop","director":{"$ref":"Person/ada"},\
        "students":[{"$ref":"Person/bo"},{"$ref":"Person/ghost"},{"$ref":"Person/ada"}],\
        "address":{"street":"1 Hill Road","keeper":{"$ref":"Person/bo"}},"self":{"$ref":"School/hilltop"}}}
        """,
    ]

    /// The same with nothing wrong in it: no missing record.
    static let sound = lines.map { $0.replacing(#"{"$ref":"Person/ghost"},"#, with: "") }
}
