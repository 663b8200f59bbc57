/// A preview of a deletion: the records that it would delete, and the references that would dangle.
///
/// A plan reflects the database at one time, and changes nothing.
public struct DeletionPlan: Sendable {
    enum Cause: Hashable {
        case requested
        case owned(by: Record.ID, path: String)
        case contained(in: Record.ID)
    }

    /// The records to delete, in an order in which they can be deleted one by one.
    ///
    /// A record comes before its owners, unless they own each other. Repeating an interrupted deletion deletes the rest.
    public let ids: [Record.ID]

    /// The requested records that do not exist; the records that they own are deleted nevertheless.
    public let missing: [Record.ID]

    /// The references from remaining records to deleted ones.
    public let dangling: [DanglingReference]

    /// The options of the deletion, which say what happens to these references.
    public let options: DeletionOptions

    /// The remaining records without these references, if they are to be cleared; each is a new version of
    /// the existing record.
    package let cleared: [Record]

    let causes: [Record.ID: Cause]

    /// The versions of the records when the plan was made, which are required when they are deleted.
    let versions: [Record.ID: RecordBatch.Version]

    /// The records that may refer to each record to delete when it is deleted; nil if any may.
    let allowedReferrers: [Record.ID: Set<Record.ID>]?

    var deletions: [RecordBatch.VersionedID] { ids.map { RecordBatch.VersionedID($0, version: versions[$0] ?? .any) } }

    /// The records that lead to a deletion, from the deleted record back to the requested one.
    ///
    /// - Parameter id: The record's ID.
    /// - Returns: The record, then the record that caused its deletion, and so on up to a requested one; each with the
    ///   path to its owning reference. A record that the next one contains has no path. Empty if the record is not
    ///   deleted.
    /// - Complexity: O(*n*) for *n* records of the chain.
    public func chain(from id: Record.ID) -> [RecordContext.Step] {
        var steps: [RecordContext.Step] = []
        var current = id
        while let cause = causes[current] {
            switch cause {
            case .requested:
                // A requested record that does not exist is not deleted.
                if current == id, missing.contains(id) { return [] }
                return steps + [RecordContext.Step(record: current, path: "")]
            case .owned(let owner, let path):
                steps.append(RecordContext.Step(record: current, path: path))
                current = owner
            case .contained(let container):
                steps.append(RecordContext.Step(record: current, path: ""))
                current = container
            }
        }
        return steps
    }
}

extension DeletionPlan: CustomStringConvertible {
    /// The records to delete, and the problems, one per line; long lists are shortened.
    public var description: String {
        let requested = ids.count { causes[$0] == .requested }
        var lines = ["\(ids.count.counted("record")) to delete"]
        if requested < ids.count { lines[0] += ", \(requested) of them as requested" }
        if !ids.isEmpty { lines[0] += ": \(ids.shortList)" }
        if !missing.isEmpty { lines.append("missing: \(missing.shortList)") }
        let (verdict, more) =
            if options.contains(.dangling) {
                ("would dangle", "more references would dangle")
            } else if options.contains(.clearing) {
                ("would be cleared", "more references would be cleared")
            } else {
                ("prevents the deletion", "more references prevent the deletion")
            }
        let shown = dangling.count > 4 ? 3 : dangling.count
        lines += dangling.prefix(shown).map { "\(verdict): \($0.words)" }
        if shown < dangling.count { lines.append("\(dangling.count - shown) \(more)") }
        return lines.joined(separator: "\n")
    }
}

extension DeletionPlan: ChildlessReflectable {}
