/// A preview of a deletion: the records that it would delete, and the references that would dangle.
///
/// A plan reflects the database at one time, and changes nothing.
public struct DeletionPlan: Sendable {
    /// The reason why a record is deleted.
    public enum Cause: Sendable, Hashable {
        /// The caller requested it.
        case requested

        /// Its field at `path` refers with ``Record/Reference/Action/deleteSelf`` to a deleted record.
        case owned(by: Record.ID, path: String)

        /// The field at `path` of a deleted record refers to it, and no remaining record does.
        case contained(in: Record.ID, path: String)
    }

    /// A record to delete.
    public struct Deletion: Sendable, Hashable, Identifiable {
        /// The record.
        public let id: Record.ID

        /// The reason for the deletion; of several, the one with the shortest chain.
        public let cause: Cause

        /// The version when the plan was made, which is required when the record is deleted.
        public let version: RecordBatch.Version
    }

    /// The records to delete, in an order in which they can be deleted one by one.
    ///
    /// A record comes before its owner. Repeating an interrupted deletion deletes the rest. A record also comes before
    /// other records that it refers to, unless they lead back to it.
    public let deletions: [Deletion]

    /// The requested records that do not exist; the records that they own are deleted nevertheless.
    public let missing: [Record.ID]

    /// The references from remaining records to deleted ones.
    public let dangling: [DanglingReference]

    /// The options of the deletion, which say what happens to these references.
    public let options: DeletionOptions

    /// The remaining records without these references, if they are to be cleared; each is a new version of
    /// the existing record.
    public let cleared: [Record]

    /// The cycles of owning references among the deleted records, one per group.
    public let owningCycles: [OwningCycle]

    private let index: RecordIndex

    init(
        deletions: [Deletion], missing: [Record.ID], dangling: [DanglingReference],
        options: DeletionOptions, cleared: [Record], owningCycles: [OwningCycle]
    ) {
        self.deletions = deletions
        self.missing = missing
        self.dangling = dangling
        self.options = options
        self.cleared = cleared
        self.owningCycles = owningCycles
        var index = RecordIndex(capacity: deletions.count)
        for (position, deletion) in deletions.enumerated() {
            index.insert(RecordIndex.hash(of: deletion.id), at: position)
        }
        self.index = index
    }

    /// The IDs of the records to delete, in the order of ``deletions``.
    public var ids: [Record.ID] { deletions.map(\.id) }

    /// The reason why a record is deleted; nil if it is not.
    ///
    /// - Parameter id: The record's ID.
    public func cause(of id: Record.ID) -> Cause? {
        index.find(RecordIndex.hash(of: id)) { deletions[$0].id == id }.map { deletions[$0].cause }
    }

    /// The records that lead to a deletion, from the deleted record back to the requested one.
    ///
    /// - Parameter id: The record's ID.
    /// - Returns: The record, then the record that caused its deletion, and so on up to a requested one; each with the
    ///   path to its owning reference. A record that contains the one before has no path. Empty if the record is not
    ///   deleted.
    /// - Complexity: O(*n*) for *n* records of the chain.
    public func chain(from id: Record.ID) -> [RecordContext.Step] {
        var steps: [RecordContext.Step] = []
        var current: Record.ID? = id
        while let record = current, let cause = cause(of: record) {
            switch cause {
            case .requested:
                steps.append(RecordContext.Step(record: record, path: ""))
                current = nil
            case .owned(let owner, let path):
                steps.append(RecordContext.Step(record: record, path: path))
                current = owner
            case .contained(let container, _):
                steps.append(RecordContext.Step(record: record, path: ""))
                current = container
            }
        }
        // The requested owner may be missing.
        if let current, !steps.isEmpty { steps.append(RecordContext.Step(record: current, path: "")) }
        return steps
    }
}

extension DeletionPlan: CustomStringConvertible {
    /// The extent of the deletion and its problems, one per line; of long lists the beginning.
    public var description: String {
        let requested = deletions.count { $0.cause == .requested }
        let records = deletions.count == 1 ? "1 record" : "\(deletions.count) records"
        var lines = ["\(records) to delete, \(requested) of them as requested"]
        if !deletions.isEmpty { lines[0] += ": \(ids.shortList)" }
        if !missing.isEmpty { lines.append("missing: \(missing.shortList)") }
        let (verdict, more) =
            if options.contains(.dangling) {
                ("would dangle", "more references would dangle")
            } else if options.contains(.clearing) {
                ("would be cleared", "more references would be cleared")
            } else {
                ("prevents the deletion", "more references prevent the deletion")
            }
        lines += dangling.map { "\(verdict): \($0.target), referred to \($0.context)" }.abbreviated(more)
        lines += owningCycles.map { "owning each other: \($0)" }.abbreviated("more cycles of owning references")
        return lines.joined(separator: "\n")
    }
}

extension DeletionPlan: ChildlessReflectable {}

extension [String] {
    /// The first lines, and a line with the number of the others.
    fileprivate func abbreviated(_ rest: String) -> [String] {
        count > 4 ? prefix(3) + ["\(count - 3) \(rest)"] : self
    }
}
