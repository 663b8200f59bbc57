/// The values that a change of records removes from one place and adds in another.
///
/// A value that was read incompletely and is added again keeps what was not read of it. The first pass over the changes
/// finds what is removed, the second one changes what is added.
struct MovedValues {
    private struct Removed {
        let read: Record.Value

        /// The stored form; nil if several values were read in this form.
        var stored: Record.Value?
    }

    private var removed: [Record.Value: Removed] = [:]
    private(set) var isSecondPass = false
    private var comparisonCount = 0

    /// The limit of comparisons to find out which value is another form of which.
    private static let mostComparisons = 1_000_000

    /// The number of levels to examine, so that the stack does not overflow.
    private static let mostLevels = 100

    var isEmpty: Bool { removed.isEmpty }

    mutating func beginSecondPass() { isSecondPass = true }

    /// Notes a value that was removed, and the values in it, if they were read incompletely.
    mutating func noteRemoved(_ stored: Record.Value, readAs read: Record.Value, level: Int = 0) {
        guard !isSecondPass, level < Self.mostLevels, !read.elements.isEmpty, stored.holdsMore(than: read) else {
            return
        }
        if let other = removed[read]?.stored, !other.isIdentical(to: stored) {
            removed[read]?.stored = nil
        } else if removed[read] == nil {
            removed[read] = Removed(read: read, stored: stored)
        }
        switch (stored.contents, read.contents) {
        case (.map(let fields)?, .map(let read)?):
            for field in read {
                if let stored = fields[field.name] { noteRemoved(stored, readAs: field.value, level: level + 1) }
            }
        case (.list(let values)?, .list(let read)?) where values.count == read.count:
            for (stored, read) in zip(values, read) { noteRemoved(stored, readAs: read, level: level + 1) }
        default: break
        }
    }

    /// The stored form of a value that was removed elsewhere; nil if it is not certain.
    func storedForm(ofMoved new: Record.Value) -> Record.Value? {
        guard isSecondPass, new.isCollection, let known = removed[new], known.read.isIdentical(to: new) else {
            return nil
        }
        return known.stored
    }

    /// The form of an added value to store.
    ///
    /// - Throws: ``IncompleteRead`` if it may be another form of a removed value.
    mutating func adding(_ new: Record.Value, at path: [PathKey]) throws(IncompleteRead) -> Record.Value {
        guard isSecondPass, new.isCollection else { return new }
        if let stored = storedForm(ofMoved: new) { return stored }
        guard path.count < Self.mostLevels else { throw IncompleteRead(path: path, reason: "it is nested too deeply") }
        if removed[new] != nil {
            throw IncompleteRead(path: path, reason: "it may be one of several values that were removed")
        }
        comparisonCount += removed.count
        guard comparisonCount <= Self.mostComparisons else {
            throw IncompleteRead(path: path, reason: "too many values have changed")
        }
        if removed.keys.contains(where: { new.mayBeForm(of: $0) }) {
            throw IncompleteRead(path: path, reason: "it may be another form of a value that was removed")
        }
        switch new.contents {
        case .map(var fields)?:
            for position in fields.values.indices {
                let path = path + [PathKey(stringValue: fields.names[position])]
                fields.values[position] = try adding(fields.values[position], at: path)
            }
            return .map(fields)
        case .list(let values)?: return .list(try elements(values, insteadOf: [], at: path))
        case nil: return new
        }
    }

    /// The elements to store for those of a list of which nothing was left out.
    mutating func elements(
        _ new: [Record.Value], insteadOf read: [Record.Value], at path: [PathKey]
    ) throws(IncompleteRead) -> [Record.Value] {
        if !isSecondPass { return new }
        let known = Set(read)
        var result: [Record.Value] = []
        for (place, value) in new.enumerated() {
            let path = path + [PathKey(index: place)]
            if known.contains(value) {
                result.append(value)
            } else if place < read.count, read[place].likeness(to: value) > 0 {
                result.append(try read[place].applying(from: read[place], to: value, at: path, &self))
            } else {
                result.append(try adding(value, at: path))
            }
        }
        return result
    }
}

extension Record.Value {
    /// Whether at least half of the members or elements of a value are the same in this one.
    fileprivate func mayBeForm(of other: Record.Value) -> Bool {
        let likeness = other.likeness(to: self)
        return likeness > 0 && 2 * likeness >= other.elements.count
    }
}
