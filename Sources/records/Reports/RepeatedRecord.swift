import NestedRecords

/// A record that occurs twice in an input, with different content.
struct RepeatedRecord: Error, Hashable, CustomStringConvertible {
    let id: Record.ID

    var description: String { "\(id) occurs twice, with different content" }
}
