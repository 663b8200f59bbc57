/// Orders records so that targets come before the records that point to them.
struct TopologicalOrder {
    private let records: ContiguousArray<Record>
    private let index: RecordIndex
    private var isVisited: [Bool]
    private var isTarget: [Bool]
    private(set) var order: ContiguousArray<Int32> = []

    init(records: ContiguousArray<Record>, index: RecordIndex) {
        self.records = records
        self.index = index
        isVisited = Array(repeating: false, count: records.count)
        isTarget = isVisited
        order.reserveCapacity(records.count)
    }

    var sources: [Record.ID] {
        zip(records, isTarget).compactMap { $1 ? nil : $0.id }
    }

    /// Orders all records; the roots, each with the records that it needs, come last.
    mutating func visitAll(roots: [Record.ID]?) {
        let roots = (roots ?? []).compactMap { index.position(of: $0, in: records) }
        var needed = self
        for root in roots { needed.visit(root) }
        for position in records.indices where !needed.isVisited[position] { visit(position) }
        for root in roots { visit(root) }
    }

    // Uses its own stack: a chain of references may be longer than a thread's stack allows.
    private mutating func visit(_ start: Int) {
        guard !isVisited[start] else { return }
        isVisited[start] = true
        var open = [(position: start, targets: targets(of: start)[...])]
        while let last = open.indices.last {
            guard let target = open[last].targets.popFirst() else {
                order.append(Int32(truncatingIfNeeded: open[last].position))
                open.removeLast()
                continue
            }
            if !isVisited[target] {
                isVisited[target] = true
                open.append((target, targets(of: target)[...]))
            }
        }
    }

    private mutating func targets(of position: Int) -> [Int] {
        let found = records[position].references.compactMap { index.position(of: $0.id, in: records) }
        for target in found where target != position { isTarget[target] = true }
        return found
    }
}
