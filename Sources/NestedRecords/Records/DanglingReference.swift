/// A reference to a missing record.
public struct DanglingReference: Sendable {
    /// The missing record.
    public let target: Record.ID

    /// The place of the reference.
    public let context: RecordContext

    /// Makes a reference, for databases that find one.
    ///
    /// - Parameters:
    ///   - target: The missing record.
    ///   - context: The place of the reference.
    public init(target: Record.ID, context: RecordContext) { (self.target, self.context) = (target, context) }
}

extension DanglingReference: CustomStringConvertible {
    /// The missing record and the place of the reference, in one line.
    public var description: String { "there is no record \(target), which is referred to \(context)" }

    /// Which record refers to which, and where.
    package var words: String {
        "\(context.record.orUnknown) refers to \(target) at '\(context.codingPath.shortPathText)'"
    }
}

extension Record {
    package func danglingReferences(where isMissing: (Record.ID) -> Bool) -> [DanglingReference] {
        var found: [DanglingReference] = []
        var walk = ReferenceWalk(fields)
        while let reference = walk.next() {
            guard isMissing(reference.id) else { continue }
            found.append(DanglingReference(target: reference.id, context: RecordContext(id, walk)))
        }
        return found
    }
}
