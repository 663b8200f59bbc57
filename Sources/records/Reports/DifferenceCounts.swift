import NestedRecords

/// How many records of each type were added, removed and changed.
struct DifferenceCounts {
    private struct Counts {
        var added = 0
        var removed = 0
        var changed = 0
    }

    private var types: [String: Counts] = [:]

    /// Whether nothing was counted.
    var isEmpty: Bool { types.isEmpty }

    /// Counts a difference.
    mutating func add(_ difference: RecordDifference) {
        switch difference {
        case .added(let id): types[id.type, default: Counts()].added += 1
        case .removed(let id): types[id.type, default: Counts()].removed += 1
        case .changed(let id, _, _): types[id.type, default: Counts()].changed += 1
        }
    }

    /// A table with a row for each type, or that there is no difference.
    ///
    /// - Throws: What ``Table`` throws, which has a column for each of these cells.
    func text(for terminal: Terminal) throws -> String {
        if isEmpty { return "no differences\n" }
        var table = Table(header: ["type", "added", "removed", "changed"], terminal: terminal)
        var text = ""
        for (type, counts) in types.sorted(by: { $0.key < $1.key }) {
            let numbers = [counts.added, counts.removed, counts.changed]
            text += try table.add([.text(type)] + numbers.map { .number($0.grouped) })
        }
        return text + table.finish()
    }
}
