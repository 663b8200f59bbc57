/// Finds the records of a deletion among records that may be owned by those to delete, or refer to them.
///
/// The memory is in proportion to the references of these records.
struct DeletionPlanner {
    struct Content {
        let id: Record.ID
        let container: Record.ID
    }

    private let requested: [Record.ID]
    private let contents: [Content]
    private let contentIDs: Set<Record.ID>
    private var users: [Record.ID: Set<Record.ID>] = [:]
    private var owned: [Record.ID: [(id: Record.ID, path: String)]] = [:]
    private var present: Set<Record.ID> = []

    /// The versions in which the records that may be deleted were read first: conclusions from an older version need
    /// not hold for a newer one.
    private var versions: [Record.ID: RecordBatch.Version]

    /// The records to delete and the requested ones that do not exist, in the order of discovery.
    private var found: [Record.ID] = []
    private var causes: [Record.ID: DeletionPlan.Cause] = [:]
    private var dangling: [DanglingReference] = []
    private var cleared: [Record] = []

    init(deleting ids: [Record.ID], contents: [Content], versions: [Record.ID: RecordBatch.Version]) {
        requested = Array(IDInterner(ids).ids)
        self.contents = contents
        contentIDs = Set(contents.map(\.id))
        self.versions = versions
    }

    mutating func examine(_ record: Record) {
        present.insert(record.id)
        if versions[record.id] == nil { versions[record.id] = RecordBatch.VersionedID(removing: record).version }
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            if reference.action == .deleteSelf {
                owned[reference.id, default: []].append((record.id, walk.pathText))
            }
            if reference.id != record.id, contentIDs.contains(reference.id) {
                users[reference.id, default: []].insert(record.id)
            }
        }
    }

    /// Finds the records to delete, breadth first; called after all records were examined.
    mutating func findDeletions(cascading: Bool) {
        var kept: Set<Record.ID> = []
        while true {
            found = requested
            causes = Dictionary(uniqueKeysWithValues: requested.map { ($0, .requested) })
            for content in contents where !kept.contains(content.id) {
                causes[content.id] = .contained(in: content.container)
                found.append(content.id)
            }
            var position = 0
            while cascading, position < found.count {
                for (id, path) in owned[found[position]] ?? [] where causes[id] == nil {
                    causes[id] = .owned(by: found[position], path: path)
                    found.append(id)
                }
                position += 1
            }
            // A remaining record keeps its targets, so that further records may remain too.
            let used = contents.filter { content in
                !kept.contains(content.id) && users[content.id]?.contains { causes[$0] == nil } == true
            }
            if used.isEmpty { break }
            kept.formUnion(used.map(\.id))
        }
    }

    private func isDeleted(_ id: Record.ID) -> Bool {
        switch causes[id] {
        case nil: false
        case .requested: present.contains(id)
        case .owned, .contained: true
        }
    }

    mutating func collectOutsideReferences(of record: Record, clearing: Bool) {
        if isDeleted(record.id) { return }
        let references = record.danglingReferences(where: isDeleted)
        if references.isEmpty { return }
        dangling += references
        if clearing { cleared.append(record.removingReferences(where: isDeleted)) }
    }

    func makePlan(_ options: DeletionOptions) -> DeletionPlan {
        DeletionPlan(
            ids: ownedFirst, missing: requested.filter { !isDeleted($0) }, dangling: dangling, options: options,
            cleared: cleared, causes: causes, versions: versions)
    }

    private var ownedFirst: [Record.ID] {
        var ordered: [Record.ID] = []
        var seen: Set<Record.ID> = []
        for start in found where seen.insert(start).inserted {
            var open = [(id: start, rest: owned[start] ?? [])]
            while let last = open.indices.last {
                if let (next, _) = open[last].rest.popLast() {
                    if causes[next] != nil, seen.insert(next).inserted { open.append((next, owned[next] ?? [])) }
                } else {
                    ordered.append(open.removeLast().id)
                }
            }
        }
        return ordered.filter(isDeleted)
    }
}
