/// Finds the records of a deletion among records that may be owned by those to delete, or refer to them.
///
/// The memory is in proportion to the references of these records.
struct DeletionPlanner {
    /// A record that another record contains.
    struct Content {
        let id: Record.ID
        let container: Record.ID
        let path: String
    }

    /// The reason why a record is deleted.
    private enum Origin {
        case requested
        case contained(Content)

        /// The number of the owning reference.
        case owned(Int)
    }

    private let requestedCount: Int
    private let contents: [Content]
    private var owning: OwningReferences
    private var isPresent: [Bool]

    /// The references to contents, from any record.
    private var uses = EdgeList()

    /// The records to delete by their numbers, in the order of discovery.
    private var deletions: [(number: Int, origin: Origin)] = []

    /// The position in ``deletions`` of each record, -1 for remaining ones.
    private var positions: ContiguousArray<Int> = []

    /// All references between records to delete.
    private var references = EdgeList()

    /// The versions in which the records that may be deleted were read first: conclusions from an older version need
    /// not hold for a newer one.
    private var versions: [Record.ID: RecordBatch.Version]
    private var dangling: [DanglingReference] = []
    private var cleared: [Record] = []

    /// - Parameters:
    ///   - ids: The records to delete.
    ///   - contents: The records that they contain, each once, without the records to delete.
    ///   - versions: The versions of these records that are known.
    init(
        deleting ids: [Record.ID], contents: [Content] = [], versions: [Record.ID: RecordBatch.Version] = [:]
    ) {
        self.versions = versions
        let requested = IDInterner(ids)
        requestedCount = requested.count
        self.contents = contents
        owning = OwningReferences(numbering: requested.ids + contents.map(\.id))
        isPresent = Array(repeating: false, count: requestedCount)
    }

    /// The IDs of the records to delete, after ``findDeletions(cascading:)``.
    var ids: [Record.ID] { deletions.map { owning.records.ids[$0.number] } }

    /// Examines a record that may be deleted, or refers to the contents of another record.
    mutating func collectOwners(of record: Record) {
        if let number = owning.records.number(of: record.id), number < requestedCount { isPresent[number] = true }
        owning.collect(record)
        if owning.records.number(of: record.id) != nil, versions[record.id] == nil {
            versions[record.id] = RecordBatch.Deletion(removing: record).version
        }
        guard !contents.isEmpty else { return }
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard let target = owning.records.number(of: reference.id), isContent(target), reference.id != record.id
            else { continue }
            uses.append(from: owning.number(record.id), to: target)
        }
    }

    private func isContent(_ number: Int) -> Bool {
        (requestedCount..<requestedCount + contents.count).contains(number)
    }

    /// Follows the owning references from their targets, breadth first; called after all records were examined.
    mutating func findDeletions(cascading: Bool) {
        let count = owning.records.count
        let owned = cascading ? EdgesByNode(owning.edges.targets, nodeCount: count) : nil
        var isKept = ContiguousArray(repeating: false, count: count)
        var met: [(number: Int, origin: Origin)] = []
        while true {
            var isMet = ContiguousArray(repeating: false, count: count)
            met = (0..<requestedCount).map { ($0, .requested) }
            for (position, content) in contents.enumerated() where !isKept[requestedCount + position] {
                met.append((requestedCount + position, .contained(content)))
            }
            for (number, _) in met { isMet[number] = true }
            var position = 0
            while let owned, position < met.count {
                for edge in owned[met[position].number] where !isMet[owning.edges.sources[edge]] {
                    isMet[owning.edges.sources[edge]] = true
                    met.append((owning.edges.sources[edge], .owned(edge)))
                }
                position += 1
            }
            // A remaining record keeps its targets, so that further records may remain too.
            var isStable = true
            for edge in 0..<uses.count where !isMet[uses.sources[edge]] && !isKept[uses.targets[edge]] {
                isKept[uses.targets[edge]] = true
                isStable = false
            }
            if isStable { break }
        }
        positions = ContiguousArray(repeating: -1, count: count)
        deletions = []
        for deletion in met where deletion.number >= requestedCount || isPresent[deletion.number] {
            positions[deletion.number] = deletions.count
            deletions.append(deletion)
        }
    }

    /// Collects the references from a record to delete to others.
    mutating func collectReferences(ofDeleted record: Record) {
        guard let source = deletedNumber(of: record.id) else { return }
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            if let target = deletedNumber(of: reference.id) { references.append(from: source, to: target) }
        }
    }

    /// Collects the references from a remaining record to deleted ones.
    mutating func collectOutsideReferences(of record: Record, clearing: Bool) {
        guard deletedNumber(of: record.id) == nil else { return }
        let found = record.danglingReferences { deletedNumber(of: $0) != nil }
        if found.isEmpty { return }
        dangling += found
        if clearing { cleared.append(record.removingReferences { deletedNumber(of: $0) != nil }) }
    }

    private func deletedNumber(of id: Record.ID) -> Int? {
        guard let number = owning.records.number(of: id), positions[number] >= 0 else { return nil }
        return number
    }

    /// Makes the plan, after all other calls.
    func makePlan(_ options: DeletionOptions) -> DeletionPlan {
        DeletionPlan(
            deletions: orderedDeletions.map { number, origin in
                let id = owning.records.ids[number]
                let cause: DeletionPlan.Cause =
                    switch origin {
                    case .requested: .requested
                    case .contained(let content): .contained(in: content.container, path: content.path)
                    case .owned(let edge):
                        .owned(by: owning.records.ids[owning.edges.targets[edge]], path: owning.paths[edge])
                    }
                return DeletionPlan.Deletion(id: id, cause: cause, version: versions[id] ?? .any)
            },
            missing: (0..<requestedCount).filter { !isPresent[$0] }.map { owning.records.ids[$0] },
            dangling: dangling, options: options, cleared: cleared,
            owningCycles: owning.cycles { positions[$0] >= 0 })
    }

    /// The records to delete, sources before targets.
    ///
    /// Cycles of references are broken so that no owning reference is reversed; in cycles of only owning references, a
    /// record comes before the one through which it was found.
    private var orderedDeletions: [(number: Int, origin: Origin)] {
        let count = owning.records.count
        var all = references
        for edge in 0..<owning.edges.count {
            let (source, target) = (owning.edges.sources[edge], owning.edges.targets[edge])
            if positions[source] >= 0, positions[target] >= 0 { all.append(from: source, to: target) }
        }
        let groups = StronglyConnectedComponents(all, nodeCount: count).groups
        let owners = StronglyConnectedComponents(owning.edges, nodeCount: count).groups
        return deletions.sorted { left, right in
            let (left, right) = (left.number, right.number)
            return (groups[left], owners[left], positions[left]) > (groups[right], owners[right], positions[right])
        }
    }
}
