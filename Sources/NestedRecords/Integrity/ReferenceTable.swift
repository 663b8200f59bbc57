/// The references between all records of a database at one time, without the records.
///
/// The memory is in proportion to the IDs and the references of all records.
package struct ReferenceTable: Sendable {
    /// The records and the targets of references, numbered in the order of their first use.
    private(set) var ids = IDInterner()

    /// The numbers of the existing records, as the database lists them.
    private(set) var records: ContiguousArray<Int> = []

    private var isPresent: ContiguousArray<Bool> = []

    /// From the record that holds a reference to its target.
    private(set) var edges = EdgeList()
    private var isOwning: ContiguousArray<Bool> = []

    /// The types of IDs that were read from bytes.
    private var types = TypeTexts()

    package init() {}

    mutating func add(_ record: Record) {
        let source = ids.insert(record.id)
        addRecord(source)
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            edges.append(from: source, to: ids.insert(reference.id))
            isOwning.append(reference.action == .deleteSelf)
        }
    }

    private mutating func addRecord(_ number: Int) {
        // A database may list a record twice that changes during the scan.
        if isPresent(number) { return }
        records.append(number)
        while isPresent.count <= number { isPresent.append(false) }
        isPresent[number] = true
    }

    func isPresent(_ number: Int) -> Bool { number < isPresent.count && isPresent[number] }

    /// The IDs of the records for whose numbers the closure returns true, as the database lists them.
    func records(where isIncluded: (Int) -> Bool) -> [Record.ID] {
        records.lazy.filter(isIncluded).map { ids.ids[$0] }
    }

    var owningEdges: EdgeList {
        var owning = EdgeList()
        for edge in 0..<edges.count where isOwning[edge] {
            owning.append(from: edges.sources[edge], to: edges.targets[edge])
        }
        return owning
    }

    /// Cycles of owning references, in which each record occurs once at most; every group of records that own each other
    /// has one.
    var owningRings: [[Int]] {
        let edges = owningEdges
        let leaving = EdgesByNode(edges.sources, nodeCount: ids.count)
        // The position on the path; -1 for nodes that were not visited, -2 for those that were left.
        var positions = ContiguousArray(repeating: -1, count: ids.count)
        var isInRing = ContiguousArray(repeating: false, count: ids.count)
        var rings: [[Int]] = []
        for start in positions.indices where positions[start] == -1 {
            var path = [(node: start, edges: leaving[start])]
            positions[start] = 0
            while let last = path.indices.last {
                guard let edge = path[last].edges.popFirst() else {
                    positions[path.removeLast().node] = -2
                    continue
                }
                let target = edges.targets[edge]
                if positions[target] == -1 {
                    positions[target] = path.count
                    path.append((target, leaving[target]))
                } else if positions[target] >= 0, !path[positions[target]...].contains(where: { isInRing[$0.node] }) {
                    rings.append(path[positions[target]...].map(\.node))
                    for (node, _) in path[positions[target]...] { isInRing[node] = true }
                }
            }
        }
        return rings
    }

    /// Whether each node can be reached from some nodes along edges; true for these.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the first nodes.
    ///   - origins: The node of each edge where it begins.
    ///   - ends: The node of each edge where it ends.
    func reached(
        from numbers: some Sequence<Int>, along origins: ContiguousArray<Int>, to ends: ContiguousArray<Int>
    ) -> ContiguousArray<Bool> {
        let leaving = EdgesByNode(origins, nodeCount: ids.count)
        var isReached = ContiguousArray(repeating: false, count: ids.count)
        var open: [Int] = []
        func reach(_ number: Int) {
            if isReached[number] { return }
            isReached[number] = true
            open.append(number)
        }
        for number in numbers { reach(number) }
        while let number = open.popLast() {
            for edge in leaving[number] { reach(ends[edge]) }
        }
        return isReached
    }
}

extension ReferenceTable: BinaryRecordVisitor {
    package mutating func visit(_ bytes: BytesInPlace, at location: UInt64) throws {
        let source = try insert(RecordReader.binaryID(in: bytes))
        addRecord(source)
        _ = try RecordReader.findReference(in: bytes) { id, isOwning throws(RecordFormatError) in
            edges.append(from: source, to: try insert(id))
            self.isOwning.append(isOwning)
            return false
        }
    }

    private mutating func insert(_ id: BinaryID) throws(RecordFormatError) -> Int {
        if let number = ids.number(id.hash, where: id.isSame(as:)) { return number }
        return ids.insert(try id.id(&types))
    }
}

extension ReferenceTable: ReferenceLookup {
    package func owned(by ids: [Record.ID]) -> [Record.ID] {
        let edges = owningEdges
        let roots = Set(ids.compactMap(self.ids.number(of:)))
        let reached = reached(from: roots, along: edges.targets, to: edges.sources)
        return records { reached[$0] && !roots.contains($0) }
    }

    package func recordsReferring(to ids: [Record.ID]) -> [Record.ID] {
        var isTarget = ContiguousArray(repeating: false, count: self.ids.count)
        for id in ids { self.ids.number(of: id).map { isTarget[$0] = true } }
        var refers = ContiguousArray(repeating: false, count: self.ids.count)
        for edge in 0..<edges.count where isTarget[edges.targets[edge]] { refers[edges.sources[edge]] = true }
        return records { refers[$0] }
    }
}

/// A database that finds all references without decoding records.
package protocol ReferenceScanning: RecordDatabase {
    /// The references of all records.
    func referenceTable() async throws -> ReferenceTable
}

extension RecordDatabase {
    /// The references of all records, in one pass over them.
    func references() async throws -> ReferenceTable {
        if let database = self as? any ReferenceScanning { return try await database.referenceTable() }
        var table = ReferenceTable()
        try await forEachRecord { table.add($0) }
        return table
    }
}
