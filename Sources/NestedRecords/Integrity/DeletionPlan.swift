/// What deleting some records would delete, and what it would leave behind.
///
/// A plan is made from what the database holds at that time, and changes nothing.
public struct DeletionPlan: Sendable {
    /// Why a record is deleted.
    public enum Cause: Sendable, Hashable {
        /// It was asked for.
        case requested

        /// Its field at `path` refers with ``Record/Reference/Action/deleteSelf`` to a record that is deleted.
        case owned(by: Record.ID, path: String)

        /// The field at `path` of a record that is deleted refers to it, and no record that stays does.
        case contained(in: Record.ID, path: String)
    }

    /// A record to delete.
    public struct Deletion: Sendable, Hashable, Identifiable {
        /// The record.
        public let id: Record.ID

        /// Why it is deleted; of several reasons the one with the shortest chain.
        public let cause: Cause

        /// The version that it had when the plan was made, and must have when it is deleted.
        public let version: RecordBatch.Version
    }

    /// The records to delete, in an order in which this can be done one after the other.
    ///
    /// A record comes before its owner. Repeating an interrupted deletion deletes the rest.
    /// A record comes before other records that it refers to as well, unless they lead back to it.
    public let deletions: [Deletion]

    /// The records that were asked for and are not there; what they own is deleted all the same.
    public let missing: [Record.ID]

    /// The references in records that stay to records that are deleted.
    public let dangling: [DanglingReference]

    /// What becomes of these references.
    public let outsideReferences: OutsideReferences

    /// The records that stay, without these references, if they are to be cleared; each as a new version of the one
    /// that was there.
    public let cleared: [Record]

    /// The cycles of owning references among the deleted records, one of each group.
    public let owningCycles: [OwningCycle]

    private let index: RecordIndex

    init(
        deletions: [Deletion], missing: [Record.ID], dangling: [DanglingReference],
        outsideReferences: OutsideReferences, cleared: [Record], owningCycles: [OwningCycle]
    ) {
        self.deletions = deletions
        self.missing = missing
        self.dangling = dangling
        self.outsideReferences = outsideReferences
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

    /// Why a record is deleted; nil if it is not.
    ///
    /// - Parameter id: The record's ID.
    public func cause(of id: Record.ID) -> Cause? {
        index.find(RecordIndex.hash(of: id)) { deletions[$0].id == id }.map { deletions[$0].cause }
    }

    /// The records that lead to a deletion, last first.
    ///
    /// - Parameter id: The record's ID.
    /// - Returns: The record, then the one because of which it is deleted, and so on up to a record that was asked for;
    ///   each with the way to the owning reference in it. A record that contains the one before has no such way.
    ///   Empty if the record is not deleted.
    /// - Complexity: O(*n*) for *n* records on the way.
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
        // The owner that was asked for may not be there.
        if let current, !steps.isEmpty { steps.append(RecordContext.Step(record: current, path: "")) }
        return steps
    }
}

extension DeletionPlan: CustomStringConvertible {
    /// How much is deleted and what is wrong with that, in a line each; of long lists the beginning.
    public var description: String {
        let requested = deletions.count { $0.cause == .requested }
        let records = deletions.count == 1 ? "1 record" : "\(deletions.count) records"
        var lines = ["\(records) to delete, \(requested) of them as requested"]
        if !deletions.isEmpty { lines[0] += ": \(ids.shortList)" }
        if !missing.isEmpty { lines.append("not there: \(missing.shortList)") }
        let (verdict, more) =
            switch outsideReferences {
            case .dangle: ("would dangle", "more references would dangle")
            case .deny: ("prevents the deletion", "more references prevent the deletion")
            case .clear: ("would be cleared", "more references would be cleared")
            }
        lines += dangling.map { "\(verdict): \($0.target), referred to \($0.context)" }.abbreviated(more)
        lines += owningCycles.map { "owning each other: \($0)" }.abbreviated("more cycles of owning references")
        return lines.joined(separator: "\n")
    }
}

extension DeletionPlan: ChildlessReflectable {}

extension [String] {
    /// The first lines, and one with the number of the others.
    fileprivate func abbreviated(_ rest: String) -> [String] {
        count > 4 ? prefix(3) + ["\(count - 3) \(rest)"] : self
    }
}
