import NestedRecords

/// The JSON texts of values that no field holds exactly, by record and by pointer within the record.
///
/// One means for all such values: numbers in another spelling, partial copies of a record, deep values, values in a form
/// that others under their key do not have, and members whose key no field can have.
struct KeptTexts: Equatable, Sendable {
    /// The text for a value, by its pointer.
    var values: [Record.ID: [String: Value]] = [:]

    /// The text of a value, and the record to which it refers.
    struct Value: Equatable, Sendable {
        let text: String
        var target: Record.ID?
    }

    /// The members that an object has besides its fields, by its pointer.
    var members: [Record.ID: [String: [Member]]] = [:]

    /// A member whose key no field can have.
    struct Member: Equatable, Sendable {
        let key: String
        let text: String

        /// The number of fields before it.
        let position: Int

        func isNamed(_ name: String) -> Bool { key.utf8.elementsEqual(name.utf8) }
    }

    static func pointer(_ steps: some Sequence<String>) -> String {
        steps.map { "/" + $0.replacing(["~": "~0", "/": "~1"]) }.joined()
    }
}

extension MarkedTree {
    private struct Frame {
        let node: Int
        let end: Int

        /// The key of the elements of a list.
        let key: String

        /// The record with this value; nil in a copy that is kept as text.
        let record: Record.ID?

        /// The number of steps from the root to the record.
        let start: Int
        var next = 0
        var memberCount = 0

        /// Whether this is a list of numbers that is kept as a whole: it takes less space.
        var isKept: Bool?
    }

    /// The texts of the values that no field holds exactly.
    ///
    /// - Parameters:
    ///   - rootID: The ID of the record that has the root in its field `root`.
    ///   - forms: The usual forms of references and of extended values.
    func keptTexts(rootID: Record.ID, _ forms: ValueForms) throws -> KeptTexts {
        var texts = KeptTexts()
        var size = PathSize(in: tree)
        func pointer(_ steps: ArraySlice<String>) throws -> String {
            let pointer = KeptTexts.pointer(steps)
            try size.add(pointer.utf8.count)
            return pointer
        }
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
            func keep(_ node: Int, _ count: Int, _ target: Record.ID? = nil) throws {
                guard let record else { return }
                texts.values[record, default: [:]][try pointer(steps[start..<count])] = KeptTexts.Value(
                    text: tree.json(of: node), target: target)
            }
            var key = tree.nodes[node].key == JSONTree.noKey ? open.last?.key ?? steps[0] : tree.keyText(of: node)
            switch marks[node] {
            case Mark.text.rawValue:
                try keep(node, steps.count)
                node = end
                continue
            case Mark.member.rawValue:
                if let record, let top = open.indices.last {
                    open[top].memberCount += 1
                    let member = KeptTexts.Member(
                        key: tree.keyText(of: node), text: tree.json(of: node),
                        position: open[top].next - open[top].memberCount)
                    let pointer = try pointer(steps[start..<steps.count - 1])
                    texts.members[record, default: [:]][pointer, default: []].append(member)
                }
                node = end
                continue
            case Mark.reference..., Mark.extended.rawValue:
                if let value = try formed(node) {
                    let text = forms.text(of: value, under: key) ?? ""
                    if !text.hasBytes(of: tree.json(of: node)) { try keep(node, steps.count, value.target) }
                }
                node = end
                continue
            default:
                // Another form would be that of an extended value under the same key.
                if !forms.isEmpty, let value = scalar(node), forms.text(of: value, under: key) != nil {
                    try keep(node, steps.count)
                    node = end
                    continue
                }
            }
            if isRecord(node) {
                let stored = stored(node)
                if stored != node, !tree.isEqual(stored, node) { try keep(node, steps.count, try id(of: stored)) }
                record = stored == node ? try id(of: node) : nil
                start = steps.count
                if tree.kind(of: node) != .object {
                    key = DocumentRecord.valueField
                    open.append(Frame(node: node, end: end, key: key, record: record, start: start))
                    steps.append(key)
                }
            }
            if record != nil, tree.kind(of: node) == .number, !tree.fieldNumber(of: node).isExact {
                if let top = open.indices.last, open[top].isKept == nil {
                    let list = open[top].node
                    open[top].isKept = !(tree.isLines && list == tree.root) && tree.isListOfNumbers(list)
                    if open[top].isKept == true { try keep(list, steps.count - 1) }
                }
                if open.last?.isKept != true { try keep(node, steps.count) }
            }
            if end > node + 1 { open.append(Frame(node: node, end: end, key: key, record: record, start: start)) }
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

extension JSONTree {
    /// The value of a number in a field, and whether `nest` prints it with the same characters.
    ///
    /// An integer that no number of a field holds, and a number without a near one, have their digits in the field.
    /// Another number has the nearest one there.
    func fieldNumber(of node: Int) -> (value: Record.Value, isExact: Bool) {
        let found = number(of: node)
        if let found, found.isExact { return found }
        let text = json(of: node)
        let isInteger = !text.utf8.contains { ".eE".utf8.contains($0) }
        if let found, !isInteger || "\(found.value)".hasValue(ofInteger: text) { return found }
        return (.number(digits: text), true)
    }

    /// The only value of a JSON text without white space around its parts; nil if it is not one.
    static func text(of json: String) -> String? {
        guard let tree = try? JSONTree(Array(json.utf8)), tree.nodes.count > 1, !tree.isLines else { return nil }
        return tree.json(of: tree.root)
    }
}

extension String {
    /// Whether these digits, perhaps with an exponent, are those of an integer.
    fileprivate func hasValue(ofInteger text: String) -> Bool {
        func digits(_ text: some Sequence<UInt8>) -> [UInt8] {
            let digits = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { $0 >= 0x30 && $0 <= 0x39 }
            return Array(digits.reversed().drop { $0 == 0x30 }.reversed())
        }
        return digits(utf8) == digits(text.utf8)
    }
}
