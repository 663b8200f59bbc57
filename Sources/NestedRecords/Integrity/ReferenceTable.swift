/// The references between all records of a database at one time, without the records.
///
/// The memory is in proportion to the IDs and the references of all records.
struct ReferenceTable {
    struct Edge {
        let source: Int
        let target: Int
        let isOwning: Bool
    }

    private(set) var ids = IDInterner()
    private(set) var records: ContiguousArray<Int> = []
    private var present: Set<Int> = []
    private(set) var edges: ContiguousArray<Edge> = []

    mutating func add(_ record: Record) {
        let source = ids.insert(record.id)
        addRecord(source)
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            // A content is not a record of a caller.
            if walk.asset != nil { continue }
            let target = ids.insert(reference.id)
            edges.append(Edge(source: source, target: target, isOwning: reference.action == .deleteSelf))
        }
    }

    private mutating func addRecord(_ number: Int) {
        // A database may list a record twice that changes during the scan.
        if present.insert(number).inserted { records.append(number) }
    }

    func isPresent(_ number: Int) -> Bool { present.contains(number) }

    /// The IDs of the records for whose numbers the closure returns true, as the database lists them.
    func records(where isIncluded: (Int) -> Bool) -> [Record.ID] {
        records.lazy.filter(isIncluded).map { ids.ids[$0] }
    }

    private func next(along edges: some Sequence<(Int, Int)>) -> [[Int]] {
        var next: [[Int]] = Array(repeating: [], count: ids.count)
        for (start, end) in edges { next[start].append(end) }
        return next
    }

    /// Cycles of owning references, in which each record occurs once at most; every group of records that own each other
    /// has one.
    var owningRings: [[Int]] {
        let next = next(along: edges.lazy.filter(\.isOwning).map { ($0.source, $0.target) })
        // The position on the path; -1 for nodes that were not visited, -2 for those that were left.
        var positions = ContiguousArray(repeating: -1, count: ids.count)
        var isInRing = ContiguousArray(repeating: false, count: ids.count)
        var rings: [[Int]] = []
        for start in positions.indices where positions[start] == -1 {
            var path = [(node: start, rest: next[start][...])]
            positions[start] = 0
            while let last = path.indices.last {
                guard let target = path[last].rest.popFirst() else {
                    positions[path.removeLast().node] = -2
                    continue
                }
                if positions[target] == -1 {
                    positions[target] = path.count
                    path.append((target, next[target][...]))
                } else if positions[target] >= 0, !path[positions[target]...].contains(where: { isInRing[$0.node] }) {
                    rings.append(path[positions[target]...].map(\.node))
                    for (node, _) in path[positions[target]...] { isInRing[node] = true }
                }
            }
        }
        return rings
    }

    func reached(from starts: some Sequence<Int>, along edges: some Sequence<(Int, Int)>) -> Set<Int> {
        let next = next(along: edges)
        var reached = Set(starts)
        var open = Array(reached)
        while let node = open.popLast() {
            for end in next[node] where reached.insert(end).inserted { open.append(end) }
        }
        return reached
    }
}

extension RecordDatabase {
    func references() async throws -> ReferenceTable {
        var table = ReferenceTable()
        try await forEachRecord { table.add($0) }
        return table
    }
}
