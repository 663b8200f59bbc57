import NestedRecords

extension MarkedTree {
    /// Marks the values that refer to records; the others stay what they are.
    mutating func resolve(_ references: [Reference], _ mapping: Mapping, _ paths: MarkPaths) {
        if references.isEmpty { return }
        let numbers = Dictionary(uniqueKeysWithValues: types.indices.map { (types[$0].name, $0) })
        let prefixes = mapping.prefixes.compactMapValues { numbers[$0] }
        let targets = Pointers(in: tree).targets
        var end = 0
        for (node, mark, path) in references where node >= end {
            let type = mark == Mark.anyReference ? nil : Int(mark - Mark.reference)
            guard let link = link(from: node, toType: type, prefixes, targets) else { continue }
            links[UInt32(node)] = link
            marks[node] = mark
            end = Int(tree.nodes[node].end)
            if let path = paths.references[path] { linkedPaths.insert(path) }
        }
    }

    /// The record that a value names, alone or after the prefix of a type.
    private func link(
        from node: Int, toType type: Int?, _ prefixes: [String: Int], _ targets: [UInt32: UInt32]
    ) -> Link? {
        guard let inner = inner(of: node, type), let text = tree.name(from: inner) else { return nil }
        func link(_ type: Int, _ name: String, _ prefix: String) -> Link? {
            let target = fullest[Identity(type: UInt16(type), name: name)]
            return target.map { Link(target: $0, inner: UInt32(inner), prefix: prefix) }
        }
        if let type, let found = link(type, text, "") { return found }
        if let target = targets[UInt32(inner)], isRecord(Int(target)), let name = name(of: Int(target)) {
            guard type ?? self.type(of: Int(target)) == self.type(of: Int(target)) else { return nil }
            let end =
                text.hasBytesAtEnd(name)
                ? name : text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[$0...].dropFirst()) } ?? text
            return Link(
                target: target, inner: UInt32(inner),
                prefix: String(decoding: text.utf8.dropLast(end.utf8.count), as: UTF8.self))
        }
        if let (prefix, name) = text.typedName, let found = prefixes[prefix] {
            return type ?? found == found ? link(found, name, prefix) : nil
        }
        // A pointer may lead to another document, and an integer is a name by chance.
        guard type == nil, tree.kind(of: inner) == .text, tree.keyText(of: inner) != "$ref" else { return nil }
        let links = types.indices.prefix(TypeGuess.mostCompared).compactMap { link($0, text, "") }
        return links.count == 1 ? links[0] : nil
    }

    /// The value with the name that a value refers to; nil for an object that has more than a name and its type.
    func inner(of node: Int, _ type: Int?) -> Int? {
        switch tree.kind(of: node) {
        case .text, .number: return node
        case .null, .bool, .list: return nil
        case .object:
            guard marks[node] != Mark.text.rawValue else { return nil }
            let own = type.flatMap { identifierKeys[$0] }.flatMap { tree.member($0, of: node) }
            guard var inner = own ?? tree.onlyMember(of: node) else { return nil }
            if let name = tree.onlyMember(of: inner), tree.keyText(of: name) == "$oid" { inner = name }
            let isAlone = (node + 1..<Int(tree.nodes[node].end)).allSatisfy { part in
                part == inner || tree.kind(of: part) == .object
                    || tree.kind(of: part) == .text && Survey.discriminators.contains(tree.keyText(of: part))
            }
            return isAlone ? inner : nil
        }
    }
}
