import NestedRecords

/// The three versions of a value: of the last state that both sides had, of the local side and of the remote one.
struct Versions<Value> {
    let base: Value
    let local: Value
    let remote: Value
}

extension Versions<Record.Value?> {
    /// The sum of both sides' additions; nil unless all are numbers of one kind, and if the sum overflows.
    var sum: Record.Value? {
        switch (base ?? remote?.zero, local, remote) {
        case (.int(let base)?, .int(let local)?, .int(let remote)?):
            let (added, isFirstTooLarge) = local.subtractingReportingOverflow(base)
            let (sum, isSecondTooLarge) = remote.addingReportingOverflow(added)
            return isFirstTooLarge || isSecondTooLarge ? nil : .int(sum)
        case (.double(let base)?, .double(let local)?, .double(let remote)?):
            let sum = remote + (local - base)
            return sum.isFinite ? .double(sum) : nil
        default: return nil
        }
    }

    /// The members that no side removed; nil unless all are lists whose elements differ.
    ///
    /// - Parameter isOrdered: Whether local additions keep their places; the result is sorted otherwise.
    /// - Complexity: O(*n*) for *n* elements, O(*n* log *n*) if they are sorted.
    func members(isOrdered: Bool) -> Record.Value? {
        guard let base = Members(base), let local = Members(local), let remote = Members(remote) else { return nil }
        let kept = remote.elements.filter { !base.set.contains($0) || local.set.contains($0) }
        let keptSet = Set(kept)
        var merged: [Record.Value] = []
        var additions: [Record.Value: [Record.Value]] = [:]
        var neighbour: Record.Value?
        for element in local.elements {
            if keptSet.contains(element) {
                neighbour = element
            } else if !base.set.contains(element) {
                if let neighbour { additions[neighbour, default: []].append(element) } else { merged.append(element) }
            }
        }
        for element in kept {
            merged.append(element)
            merged += additions[element] ?? []
        }
        return .list(isOrdered ? merged : merged.sorted { $0.precedes($1) })
    }

    /// Whether all are lists of references, or missing.
    var areReferences: Bool {
        [base, local, remote].allSatisfy { value in
            switch value {
            case nil: true
            case .list(let elements)?: elements.allSatisfy { if case .reference = $0 { true } else { false } }
            default: false
            }
        }
    }
}

/// The elements of a list without equal ones.
private struct Members {
    let elements: [Record.Value]
    let set: Set<Record.Value>

    init?(_ value: Record.Value?) {
        switch value {
        case nil: elements = []
        case .list(let list)?: elements = list
        default: return nil
        }
        set = Set(elements)
        if set.count != elements.count { return nil }
    }
}

extension Record.Value {
    fileprivate var zero: Record.Value? {
        switch self {
        case .int: .int(0)
        case .double: .double(0)
        default: nil
        }
    }
}

extension Record.Value? {
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.isIdentical(to: right)
        default: false
        }
    }
}

extension Record.Fields? {
    func isSame(as other: Self) -> Bool { map { .map($0) }.isSame(as: other.map { .map($0) }) }
}
