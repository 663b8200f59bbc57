/// A reference to a record that is not there.
public struct DanglingReference: Sendable {
    /// The record that is missing.
    public let target: Record.ID

    /// Where it is referred to.
    public let context: RecordContext
}

extension DanglingReference: CustomStringConvertible {
    /// The missing record and where it is referred to, in one line.
    public var description: String { "there is no record \(target), which is referred to \(context)" }
}

extension Record {
    /// The references in the fields whose targets the closure takes for missing.
    func danglingReferences(where isMissing: (Record.ID) -> Bool) -> [DanglingReference] {
        var found: [DanglingReference] = []
        var walk = ReferenceWalk(fields)
        while let reference = walk.next() {
            guard isMissing(reference.id) else { continue }
            found.append(DanglingReference(target: reference.id, context: RecordContext(id, walk)))
        }
        return found
    }
}
