/// Finds the records of a deletion among records that may be owned by those to delete, or refer to them.
///
/// The memory is in proportion to the references of these records.
struct DeletionPlanner {
    struct Content {
        let id: Record.ID
        let container: Record.ID
    }

    private let requested: [Record.ID]
    private let takesContents: Bool
    private(set) var contents: [Content] = []
    private var met: IDInterner

    /// The records that refer to each record.
    private var users: [Record.ID: Set<Record.ID>] = [:]

    /// Whether references to all records that may be deleted were sought.
    var knowsReferrers = false
    private var owned: [Record.ID: [(id: Record.ID, path: String)]] = [:]
    private var present: Set<Record.ID> = []

    /// The versions in which the records that may be deleted were read.
    private var versions: [Record.ID: RecordBatch.Version] = [:]

    /// The records to delete and the requested ones that do not exist, in the order of discovery.
    private var found: [Record.ID] = []
    private var causes: [Record.ID: DeletionPlan.Cause] = [:]
    private var dangling: [DanglingReference] = []
    private var cleared: [Record] = []

    init(deleting ids: [Record.ID], takesContents: Bool) {
        self.takesContents = takesContents
        met = IDInterner(ids)
        requested = Array(met.ids)
    }

    /// Notes the references of a record.
    mutating func examine(_ record: Record) {
        present.insert(record.id)
        versions[record.id] = RecordBatch.VersionedID(removing: record).version
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            if reference.action == .deleteSelf {
                owned[reference.id, default: []].append((record.id, walk.pathText))
            }
            noteUser(record.id, of: reference.id)
        }
    }

    /// Notes that a record refers to another record.
    mutating func noteUser(_ user: Record.ID, of id: Record.ID) {
        if user != id { users[id, default: []].insert(user) }
    }

    /// Notes what a record that may be deleted contains.
    ///
    /// - Returns: The contents that were not met before.
    mutating func findContents(of record: Record) -> [Record.ID] {
        if !takesContents { return [] }
        var new: [Record.ID] = []
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard !reference.isLink, met.number(of: reference.id) == nil else { continue }
            met.insert(reference.id)
            contents.append(Content(id: reference.id, container: record.id))
            new.append(reference.id)
        }
        return new
    }

    /// Finds the records to delete, breadth first; called after all records were examined.
    mutating func findDeletions(cascading: Bool) {
        let contents = contents.filter { present.contains($0.id) }
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
            cleared: cleared, causes: causes, versions: versions, allowedReferrers: allowedReferrers(options))
    }

    /// Only records that are deleted too, and those whose references are to dangle, may refer to deleted records.
    private func allowedReferrers(_ options: DeletionOptions) -> [Record.ID: Set<Record.ID>]? {
        if !knowsReferrers || options.contains(.dangling) && options.isDisjoint(with: [.cascading, .contents]) {
            return nil
        }
        return users.reduce(into: [:]) { allowed, entry in
            if isDeleted(entry.key) {
                allowed[entry.key] = options.contains(.dangling) ? entry.value : entry.value.filter(isDeleted)
            }
        }
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
