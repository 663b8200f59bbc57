struct BackReferences {
    private var referrers: [Record.ID: Set<Record.ID>] = [:]

    init(of records: some Sequence<Record>) {
        for record in records { insert(record) }
    }

    private mutating func insert(_ record: Record) {
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() { referrers[reference.id, default: []].insert(record.id) }
    }

    private mutating func remove(_ record: Record) {
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard let position = referrers.index(forKey: reference.id) else { continue }
            referrers.values[position].remove(record.id)
            if referrers.values[position].isEmpty { referrers.remove(at: position) }
        }
    }

    mutating func replace(_ old: Record?, by new: Record?) {
        if let old, let new, old.hasSameTargets(as: new) { return }
        if let old { remove(old) }
        if let new { insert(new) }
    }

    func referring(to ids: [Record.ID]) -> Set<Record.ID> {
        ids.reduce(into: []) { $0.formUnion(referrers[$1] ?? []) }
    }
}

extension Record {
    fileprivate func hasSameTargets(as other: Record) -> Bool {
        var (walk, otherWalk) = (ReferenceWalk(fields), ReferenceWalk(other.fields))
        while let reference = walk.next() {
            guard let other = otherWalk.next(), reference.id == other.id else { return false }
        }
        return otherWalk.next() == nil
    }
}
