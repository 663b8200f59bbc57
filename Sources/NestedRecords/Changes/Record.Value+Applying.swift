extension Record.Fields {
    /// Applies the changes of the fields that were read from these ones.
    ///
    /// - Throws: ``IncompleteRead`` if a changed value was read incompletely, and it is not certain what to keep.
    func applying(
        _ changes: [RecordGraphDifference.FieldChange], at path: [PathKey], _ moves: inout MovedValues
    ) throws(IncompleteRead) -> Record.Fields {
        var fields = self
        // A name in another Unicode spelling is one removed and one added field.
        var removed: Set<String> = []
        for change in changes where change.new == nil {
            removed.insert(change.name)
            if let stored = self[change.name], let old = change.old { moves.noteRemoved(stored, readAs: old) }
        }
        if !removed.isEmpty { fields.removeAll { removed.contains($0.name) } }
        for change in changes {
            guard let new = change.new else { continue }
            let path = path + [PathKey(stringValue: change.name)]
            guard let stored = self[change.name] else {
                fields[change.name] = try moves.adding(new, at: path)
                continue
            }
            fields[change.name] = try stored.applying(from: change.old, to: new, at: path, &moves)
        }
        return fields
    }
}

extension Record.Value {
    /// The number of levels to examine, so that the stack does not overflow.
    private static let mostLevels = 100

    /// Applies the change of a value that was read from this one.
    ///
    /// Content that only this value has is kept: the type that has read it does not know it, or left it out.
    func applying(
        from old: Record.Value?, to new: Record.Value, at path: [PathKey], _ moves: inout MovedValues
    ) throws(IncompleteRead) -> Record.Value {
        if let moved = moves.storedForm(ofMoved: new) { return moved }
        guard isCollection, kind == new.kind else { return try moves.adding(new, at: path) }
        guard let old, old != .null else {
            let new = try moves.adding(new, at: path)
            if holdsMore(than: new) { throw IncompleteRead(path: path, reason: "the stored value was not read") }
            return new
        }
        guard kind == old.kind else { return try moves.adding(new, at: path) }
        guard path.count < Self.mostLevels else {
            if !holdsMore(than: old) { return new }
            throw IncompleteRead(path: path, reason: "it is nested too deeply")
        }
        switch (contents, old.contents, new.contents) {
        case (.map(let fields)?, .map(let old)?, .map(let new)?):
            return .map(try fields.applying(new.changes(from: old), at: path, &moves))
        case (.list(let stored)?, .list(let old)?, .list(let new)?):
            return .list(try ListUpdate.apply(to: stored, from: old, to: new, at: path, &moves))
        default:
            return new
        }
    }

    /// Whether this value has content that is missing in a value that was read from it.
    ///
    /// - Parameter countsNull: Whether a member that is null is content.
    func holdsMore(than read: Record.Value, countsNull: Bool = false, level: Int = 0) -> Bool {
        if level == Self.mostLevels { return !isIdentical(to: read) }
        if kind == .null || read.kind == .null { return kind != .null }
        switch (contents, read.contents) {
        case (.map(let fields)?, .map(let read)?):
            return fields.enumerated().contains { position, field in
                guard let match = read.position(ofExactly: field.name, near: position) else {
                    return countsNull || field.value != .null
                }
                return field.value.holdsMore(than: read.values[match], countsNull: countsNull, level: level + 1)
            }
        case (.list(let values)?, .list(let read)?):
            return values.count > read.count
                || zip(values, read).contains { $0.holdsMore(than: $1, countsNull: countsNull, level: level + 1) }
        default: return false
        }
    }

    /// Whether a value may have been read from this one: equal, or without some members and elements.
    ///
    /// - Parameter isConverted: Whether the read may have converted scalars to other kinds.
    func mayBeRead(as read: Record.Value, isConverted: Bool, level: Int = 0) -> Bool {
        if level == Self.mostLevels { return isIdentical(to: read) }
        if read.kind == .null { return true }
        switch (contents, read.contents) {
        case (.map(let fields)?, .map(let read)?):
            var count = 0
            for (position, field) in read.enumerated() {
                guard let match = fields.position(ofExactly: field.name, near: position) else { continue }
                guard fields.values[match].mayBeRead(as: field.value, isConverted: isConverted, level: level + 1)
                else { return false }
                count += 1
            }
            return count > 0 || read.isEmpty
        case (.list(let values)?, .list(let read)?):
            var rest = values[...]
            for element in read {
                guard
                    let match = rest.firstIndex(where: {
                        $0.mayBeRead(as: element, isConverted: isConverted, level: level + 1)
                    })
                else { return false }
                rest = rest[(match + 1)...]
            }
            return true
        default: return isConverted && kind != read.kind || isIdentical(to: read)
        }
    }

    /// The number of members or elements that two values have in common.
    func likeness(to other: Record.Value) -> Int {
        switch (contents, other.contents) {
        case (.map(let fields)?, .map(let others)?):
            fields.enumerated().count { position, field in
                others.position(ofExactly: field.name, near: position)
                    .map { others.values[$0].isIdentical(to: field.value) } ?? false
            }
        case (.list(let values)?, .list(let others)?): zip(values, others).count { $0.isIdentical(to: $1) }
        default: 0
        }
    }
}

/// The place of a value that was read incompletely and changed, and what is not certain.
struct IncompleteRead: Error {
    let path: [PathKey]
    let reason: String
}

extension RecordError {
    static func incompletelyRead(_ id: Record.ID, _ fault: IncompleteRead) -> RecordError {
        let field = fault.path.first?.stringValue
        let path = fault.path as [any CodingKey]
        let summary =
            "the field '\(field ?? "")' of record \(id) was read incompletely, and its change cannot be applied to what "
            + "is stored"
        let reason = "\(fault.reason); change, move, add and remove elements in separate saves"
        return RecordError(
            .incompletelyRead, summary: summary, reason: reason, recordID: id, field: field,
            context: RecordContext(
                record: id, field: field, codingPath: path,
                chain: [RecordContext.Step(record: id, path: path.shortPathText)]))
    }
}
