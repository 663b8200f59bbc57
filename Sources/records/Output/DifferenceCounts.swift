import NestedRecords

/// The numbers of added, removed and changed records by type.
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

    /// A table with a row for each type, or a line that reports no differences.
    ///
    /// - Throws: Never in practice: ``Table`` has a column for each cell.
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
