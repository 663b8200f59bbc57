/// For each record, the records that refer to it.
struct BackReferences {
    private struct Referrers {
        var owned: Set<Record.ID> = []
        var others: Set<Record.ID> = []

        var isEmpty: Bool { owned.isEmpty && others.isEmpty }
    }

    private var referrers: [Record.ID: Referrers] = [:]

    init(of records: some Sequence<Record>) {
        for record in records { insert(record) }
    }

    private mutating func insert(_ record: Record) {
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            if reference.action == .deleteSelf {
                referrers[reference.id, default: Referrers()].owned.insert(record.id)
            } else {
                referrers[reference.id, default: Referrers()].others.insert(record.id)
            }
        }
    }

    private mutating func remove(_ record: Record) {
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard let position = referrers.index(forKey: reference.id) else { continue }
            referrers.values[position].owned.remove(record.id)
            referrers.values[position].others.remove(record.id)
            if referrers.values[position].isEmpty { referrers.remove(at: position) }
        }
    }

    mutating func replace(_ old: Record?, by new: Record?) {
        if let old, let new, old.hasSameReferences(as: new) { return }
        if let old { remove(old) }
        if let new { insert(new) }
    }

    func owned(by ids: [Record.ID]) -> Set<Record.ID> {
        var found: Set<Record.ID> = []
        var open = ids
        while let id = open.popLast() {
            for owned in referrers[id]?.owned ?? [] where found.insert(owned).inserted { open.append(owned) }
        }
        return found
    }

    func referring(to ids: [Record.ID]) -> Set<Record.ID> {
        var found: Set<Record.ID> = []
        for id in ids {
            guard let referrers = referrers[id] else { continue }
            found.formUnion(referrers.owned)
            found.formUnion(referrers.others)
        }
        return found
    }
}

extension Record {
    fileprivate func hasSameReferences(as other: Record) -> Bool {
        var (walk, otherWalk) = (ReferenceWalk(fields), ReferenceWalk(other.fields))
        while let reference = walk.next() {
            guard let other = otherWalk.next(), reference.action == other.action, reference.id == other.id else {
                return false
            }
        }
        return otherWalk.next() == nil
    }
}
