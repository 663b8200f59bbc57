import NestedRecords

/// Walks the records below a root depth first, and returns a line for each reference.
///
/// It does not use recursion. It holds the records on the path from the root with up to ``portion`` targets of each,
/// and the IDs of visited records.
struct RecordTree {
    /// The number of targets of one record that are fetched together.
    static let portion = 1_000

    private let database: any RecordDatabase
    private let maximumDepth: Int
    private var open: [Branch] = []

    /// The records whose own references were shown above.
    private var shown: Set<Record.ID> = []

    /// The records on the path from the root.
    private var ancestors: Set<Record.ID> = []

    /// A record with references that are still to be visited.
    private struct Branch {
        let id: Record.ID
        var references: PlacedReferences
        var waiting: [PlacedReference].SubSequence = []
        var targets: [Record.ID: Record] = [:]

        /// The prefix of the lines of the references.
        let indentation: String
    }

    /// Makes a tree.
    ///
    /// - Parameter maximumDepth: The maximum number of references from the root.
    init(in database: any RecordDatabase, maximumDepth: Int) {
        self.database = database
        self.maximumDepth = maximumDepth
    }

    /// Begins at a root.
    ///
    /// - Returns: The line of the root; nil if the root does not exist.
    mutating func begin(at root: Record.ID) async throws -> TreeLine? {
        (open, shown, ancestors) = ([], [], [])
        guard let record = try await database.record(for: root) else { return nil }
        var line = TreeLine(id: root, record: record)
        try await enter(record, indentation: "", &line)
        return line
    }

    /// The line of the next reference; nil after the last one.
    mutating func next() async throws -> TreeLine? {
        while let last = open.indices.last {
            guard let placed = open[last].waiting.popFirst() else {
                ancestors.remove(open[last].id)
                open.removeLast()
                continue
            }
            let target = placed.reference.id
            let record = open[last].targets[target]
            // Not earlier, since it replaces the targets.
            try await fetch(for: last)
            let isLast = open[last].waiting.isEmpty
            let indentation = open[last].indentation
            var line = TreeLine(
                id: target, record: record, path: placed.path, isLink: placed.reference.isLink,
                indentation: indentation, isLast: isLast)
            if !line.isLink, ancestors.contains(target) {
                line.mark = .cycle
            } else if !line.isLink, shown.contains(target) {
                line.mark = .repeated
            } else if let record, !line.isLink {
                try await enter(record, indentation: indentation + (isLast ? "   " : "│  "), &line)
            } else if record == nil {
                line.mark = .missing
            }
            return line
        }
        return nil
    }

    /// Continues with the references of a record, unless they are too deep.
    private mutating func enter(_ record: Record, indentation: String, _ line: inout TreeLine) async throws {
        let branch = Branch(id: record.id, references: PlacedReferences(record.fields), indentation: indentation)
        guard open.count < maximumDepth else {
            let count = record.references.count
            if count > 0 { line.mark = .cut(count) } else { shown.insert(record.id) }
            return
        }
        shown.insert(record.id)
        ancestors.insert(record.id)
        open.append(branch)
        try await fetch(for: open.count - 1)
    }

    /// Fetches the next targets of a branch if all fetched ones are visited.
    private mutating func fetch(for position: Int) async throws {
        guard open[position].waiting.isEmpty else { return }
        var waiting: [PlacedReference] = []
        while waiting.count < min(Self.portion, max(1, database.limits.batchCount)) {
            guard let placed = open[position].references.next() else { break }
            waiting.append(placed)
        }
        guard !waiting.isEmpty else { return }
        // Records that were shown are not fetched again: a large record may be the target of many references.
        let wanted = Set(waiting.map(\.reference).filter { $0.isLink || !shown.contains($0.id) }.map(\.id))
        open[position].targets = wanted.isEmpty ? [:] : try await database.recordsByID(for: Array(wanted))
        open[position].waiting = waiting[...]
    }
}
