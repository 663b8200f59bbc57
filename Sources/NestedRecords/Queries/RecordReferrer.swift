/// A reference to a record, with its place.
public struct RecordReferrer: Sendable, Hashable {
    /// The record that holds the reference.
    public let record: Record.ID

    /// The path to the reference in the record: `pupils[3]`.
    public let path: String

    /// The reference.
    public let reference: Record.Reference

    /// Makes a referrer, for implementations of databases.
    public init(record: Record.ID, path: String, reference: Record.Reference) {
        self.record = record
        self.path = path
        self.reference = reference
    }
}

extension RecordReferrer: CustomStringConvertible {
    /// The record and the path.
    public var description: String { "\(record) .\(path)" }
}

extension Record {
    /// Adds the references of this record to some records, for implementations of ``RecordDatabase/referrers(of:)``.
    ///
    /// - Parameters:
    ///   - ids: The records to which references are sought.
    ///   - found: The references by their targets.
    /// - Complexity: O(*n*) for *n* fields and list elements.
    @_spi(Engines) public func collectReferrers(to ids: Set<Record.ID>, into found: inout [Record.ID: [RecordReferrer]])
    {
        var walk = ReferenceWalk(fields)
        while let reference = walk.next() {
            guard ids.contains(reference.id) else { continue }
            found[reference.id, default: []].append(
                RecordReferrer(record: id, path: walk.pathText, reference: reference))
        }
    }
}
