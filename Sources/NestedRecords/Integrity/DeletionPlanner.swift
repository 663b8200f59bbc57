/// Finds the records that a deletion includes, in two passes over the records of a database.
///
/// Its memory is in proportion to the owning references of all records, and to the records to delete and their
/// references.
struct DeletionPlanner {
    private let requestedCount: Int
    private var owning: OwningReferences
    private var isPresent: [Bool]

    /// The records to delete by their numbers, in the order in which they were found, with the owning reference
    /// through which they were found.
    private var deletions: [(number: Int, edge: Int?)] = []

    /// The position in ``deletions`` of each record, -1 for those that stay.
    private var positions: ContiguousArray<Int> = []

    /// All references between records to delete.
    private var references = EdgeList()
    private var dangling: [DanglingReference] = []

    init(deleting ids: [Record.ID]) {
        owning = OwningReferences(numbering: ids)
        requestedCount = owning.records.count
        isPresent = Array(repeating: false, count: requestedCount)
    }

    /// The number of records to delete, once it is known which.
    var count: Int { deletions.count }

    /// The first pass.
    mutating func collectOwners(of record: Record) {
        if let number = owning.records.number(of: record.id), number < requestedCount { isPresent[number] = true }
        owning.collect(record)
    }

    /// Between the passes: follows the owning references from their targets, breadth first.
    mutating func findDeletions(cascading: Bool) {
        let count = owning.records.count
        positions = ContiguousArray(repeating: -1, count: count)
        var isMet = ContiguousArray(repeating: false, count: count)
        var met: [(number: Int, edge: Int?)] = (0..<requestedCount).map { ($0, nil) }
        for number in 0..<requestedCount { isMet[number] = true }
        if cascading {
            let owned = EdgesByNode(owning.edges.targets, nodeCount: count)
            var position = 0
            while position < met.count {
                for edge in owned[met[position].number] where !isMet[owning.edges.sources[edge]] {
                    isMet[owning.edges.sources[edge]] = true
                    met.append((owning.edges.sources[edge], edge))
                }
                position += 1
            }
        }
        for deletion in met where deletion.number >= requestedCount || isPresent[deletion.number] {
            positions[deletion.number] = deletions.count
            deletions.append(deletion)
        }
    }

    /// The second pass.
    mutating func collectReferences(of record: Record) {
        guard let source = deletedNumber(of: record.id) else {
            dangling += record.danglingReferences { deletedNumber(of: $0) != nil }
            return
        }
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            if let target = deletedNumber(of: reference.id) { references.append(from: source, to: target) }
        }
    }

    private func deletedNumber(of id: Record.ID) -> Int? {
        guard let number = owning.records.number(of: id), positions[number] >= 0 else { return nil }
        return number
    }

    /// The plan, after both passes.
    func makePlan() -> DeletionPlan {
        DeletionPlan(
            deletions: orderedDeletions.map { number, edge in
                let cause = edge.map { edge -> DeletionPlan.Cause in
                    .owned(by: owning.records.ids[owning.edges.targets[edge]], path: owning.paths[edge])
                }
                return DeletionPlan.Deletion(id: owning.records.ids[number], cause: cause ?? .requested)
            },
            missing: (0..<requestedCount).filter { !isPresent[$0] }.map { owning.records.ids[$0] },
            dangling: dangling, owningCycles: owning.cycles { positions[$0] >= 0 })
    }

    /// The records to delete, sources before targets.
    ///
    /// Cycles of references are broken so that no owning reference is reversed; cycles of owning references alone so
    /// that a record comes before the one through which it was found.
    private var orderedDeletions: [(number: Int, edge: Int?)] {
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
