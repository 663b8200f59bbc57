struct BackReferences {
    private var referrers: [Record.ID: Holders] = [:]

    init(of records: some Sequence<Record>) {
        for record in records { insert(record) }
    }

    private mutating func insert(_ record: Record) {
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() { referrers[reference.id, default: .none].insert(record.id) }
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
        ids.reduce(into: []) { $0.formUnion(referrers[$1]?.ids ?? []) }
    }
}

/// The records that refer to one.
///
/// Most have one referrer: a set for each would take most of the time and memory of the table.
private enum Holders {
    case none
    case one(Record.ID)
    case several(Set<Record.ID>)

    var ids: Set<Record.ID> {
        switch self {
        case .none: []
        case .one(let id): [id]
        case .several(let ids): ids
        }
    }

    var isEmpty: Bool { if case .none = self { true } else { false } }

    mutating func insert(_ id: Record.ID) {
        switch self {
        case .none: self = .one(id)
        case .one(let known): if known != id { self = .several([known, id]) }
        case .several(var ids):
            // The only owner changes the set in place.
            self = .none
            ids.insert(id)
            self = .several(ids)
        }
    }

    mutating func remove(_ id: Record.ID) {
        switch self {
        case .none: break
        case .one(let known): if known == id { self = .none }
        case .several(var ids):
            self = .none
            ids.remove(id)
            if !ids.isEmpty { self = .several(ids) }
        }
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
