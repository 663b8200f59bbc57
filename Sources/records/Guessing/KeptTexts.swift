import NestedRecords

/// The JSON texts of values that no field holds exactly, by record and by pointer within the record.
///
/// One means for all such values: numbers in another spelling, partial copies of a record, deep values, and members
/// whose key no field can have.
struct KeptTexts: Equatable, Sendable {
    /// The text for a value, by its pointer.
    var values: [Record.ID: [String: String]] = [:]

    /// Keys and texts in turn, by the pointer of the object that has these members besides its fields.
    var members: [Record.ID: [String: [String]]] = [:]

    static func pointer(_ steps: some Sequence<String>) -> String {
        steps.map { "/" + $0.utf8Replacing() }.joined()
    }
}

extension String {
    fileprivate func utf8Replacing() -> String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return self }
        return unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    }
}

extension MarkedTree {
    private struct Frame {
        let node: Int
        let end: Int

        /// The record with this value; nil in a copy that is kept as text.
        let record: Record.ID?

        /// The number of steps from the root to the record.
        let start: Int
        var next = 0

        /// Whether this is a list of numbers that is kept as a whole: it takes less space.
        var isKept: Bool?
    }

    /// The texts of the values that no field holds exactly.
    ///
    /// - Parameter rootID: The ID of the record that has the root in its field `root`.
    func keptTexts(rootID: Record.ID) throws -> KeptTexts {
        var texts = KeptTexts()
        var open: [Frame] = []
        // A step to each open value, and one to the present value.
        var steps: [String] = []
        var node = tree.root
        while node < tree.nodes.count {
            while let last = open.last, last.end <= node { open.removeLast() }
            steps.removeSubrange(open.count...)
            let end = Int(tree.nodes[node].end)
            var (record, start) = (rootID as Record.ID?, 0)
            if let top = open.indices.last {
                (record, start) = (open[top].record, open[top].start)
                let isElement = tree.nodes[node].key == JSONTree.noKey
                steps.append(isElement ? "\(open[top].next)" : tree.keyText(of: node))
                open[top].next += 1
            } else {
                steps.append("root")
            }
            func keep(_ node: Int, _ count: Int) {
                guard let record else { return }
                texts.values[record, default: [:]][KeptTexts.pointer(steps[start..<count])] = tree.json(of: node)
            }
            switch marks[node] {
            case Mark.text.rawValue:
                keep(node, steps.count)
                node = end
                continue
            case Mark.member.rawValue:
                if let record {
                    let pointer = KeptTexts.pointer(steps[start..<steps.count - 1])
                    let member = [tree.keyText(of: node), tree.json(of: node)]
                    texts.members[record, default: [:]][pointer, default: []] += member
                }
                node = end
                continue
            default: break
            }
            if isRecord(node) {
                let stored = stored(node)
                if stored != node, !tree.isEqual(stored, node) { keep(node, steps.count) }
                record = stored == node ? try id(of: node) : nil
                start = steps.count
                if tree.kind(of: node) != .object {
                    open.append(Frame(node: node, end: end, record: record, start: start))
                    steps.append(DocumentRecord.valueField)
                }
            }
            if record != nil, tree.kind(of: node) == .number, tree.number(of: node)?.isExact != true {
                if let top = open.indices.last, open[top].isKept == nil {
                    let list = open[top].node
                    open[top].isKept = !(tree.isLines && list == tree.root) && tree.isListOfNumbers(list)
                    if open[top].isKept == true { keep(list, steps.count - 1) }
                }
                if open.last?.isKept != true { keep(node, steps.count) }
            }
            if end > node + 1 { open.append(Frame(node: node, end: end, record: record, start: start)) }
            node += 1
        }
        return texts
    }
}

extension JSONTree {
    fileprivate func isListOfNumbers(_ node: Int) -> Bool {
        kind(of: node) == .list && children(of: node).allSatisfy { kind(of: $0) == .number }
    }
}
