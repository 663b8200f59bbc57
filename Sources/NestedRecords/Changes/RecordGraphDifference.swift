/// The differences between the records of two graphs.
///
/// Contents are compared to the last bit, so that a save may omit unchanged records without loss. So 0 and −0 differ,
/// and so do strings and names in two Unicode spellings; all not-a-numbers are the same, and the order of fields does
/// not matter. Metadata is not content, nor is the choice of roots.
public struct RecordGraphDifference: Sendable {
    /// The records that are only in the new graph, in its order: targets before the records that point to them.
    public let added: [Record]

    /// The records that are only in the old graph, in its order.
    public let removed: [Record]

    /// The records whose fields differ, in the order of the new graph, each with the names of the fields that differ: in the
    /// order of the new record, then those that only the old one has.
    public var changed: [(old: Record, new: Record, fields: [String])] {
        changes.map { ($0.old, $0.new, $0.fields.map(\.name)) }
    }

    package let changes: [(old: Record, new: Record, fields: [FieldChange])]

    /// Whether both graphs have the same records with the same content.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changes.isEmpty }
}

extension RecordGraphDifference {
    /// A field whose value differs between two records; nil if a record has no such field.
    package struct FieldChange: Sendable, Hashable {
        package let name: String
        package let old: Record.Value?
        package let new: Record.Value?
    }
}

extension RecordGraphDifference: CustomStringConvertible {
    /// The added, removed and changed records, one per line; a changed record is followed by its fields.
    ///
    /// ```
    /// + Person/bo
    /// - Book/1
    /// ~ School/hilltop
    ///     ~ visits: 1 => 2
    /// ```
    public var description: String {
        let lines =
            added.map { "+ \($0.id)" } + removed.map { "- \($0.id)" }
            + changes.flatMap { change in ["~ \(change.new.id)"] + change.fields.map { "    \($0)" } }
        return lines.joined(separator: "\n")
    }
}

extension RecordGraphDifference.FieldChange: CustomStringConvertible {
    /// The name and the values, after a mark for an added, removed or changed field.
    package var description: String {
        switch (old, new) {
        case (let old?, let new?): "~ \(name.asLabel): \(old) => \(new)"
        case (let old?, nil): "- \(name.asLabel): \(old)"
        case (nil, let new?): "+ \(name.asLabel): \(new)"
        case (nil, nil): "  \(name.asLabel)"
        }
    }
}
