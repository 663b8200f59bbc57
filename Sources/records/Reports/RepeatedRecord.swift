import NestedRecords

/// A record that stands in an input a second time, with other content.
struct RepeatedRecord: Error, Hashable, CustomStringConvertible {
    let id: Record.ID

    var description: String { "\(id) stands there a second time, with other content" }
}
