import NestedRecords

extension MarkedTree {
    func isRecord(_ node: Int) -> Bool { (Mark.record..<Mark.reference).contains(marks[node]) }

    /// The number of the type of a record.
    func type(of node: Int) -> Int { Int(marks[node] - Mark.record) }

    /// The ID of a record.
    func id(of node: Int) throws -> Record.ID {
        try Record.ID(type: types[type(of: node)].name, name: name(of: node) ?? "")
    }

    /// The object that is stored as the record of this object: the fullest with its identity.
    func stored(_ node: Int) -> Int {
        var node = UInt32(node)
        while let fuller = copies[node] { node = fuller }
        return Int(node)
    }

    /// What Swift types read in another way than the names of the records say: a hint of each kind.
    var hints: [String] {
        get throws {
            var (uuid, integer): (Record.ID?, Record.ID?)
            for (identity, node) in fullest {
                let id = try id(of: Int(node))
                if id.isUUIDInLowerCase {
                    uuid = min(uuid ?? id, id)
                } else if let spelling = id.name.spelledAsInteger, !spelling.utf8.elementsEqual(id.name.utf8),
                    fullest[Identity(type: identity.type, name: spelling)] != nil
                {
                    integer = min(integer ?? id, id)
                }
            }
            return [uuid?.hintAboutUUID, integer?.hintAboutInteger].compactMap(\.self)
        }
    }

    func name(of node: Int) -> String? {
        let type = type(of: node)
        let name: String? =
            switch types[type].identifier {
            case Mapping.keyName: tree.keyText(of: node)
            case Mapping.positionName: positions[UInt32(node)].map { "\($0)" }
            case Mapping.fileName: documentName
            default: identifierKeys[type].flatMap { tree.member($0, of: node) }.flatMap(tree.name)
            }
        guard let name, tree.isName(name) else { return nil }
        return canonicalizesUUIDs ? name.spelledAsUUID ?? name : name
    }
}

extension JSONTree {
    private static let longestKey = 255

    /// The record name that an identifier gives; nil for other values than strings, integers and MongoDB's identifiers.
    func name(from node: Int) -> String? {
        switch kind(of: node) {
        case .text: return text(of: node)
        case .number:
            guard case .int(let value)? = number(of: node)?.value else { return nil }
            return value.description
        case .object:
            guard let member = onlyMember(of: node), keyText(of: member) == "$oid", kind(of: member) == .text else {
                return nil
            }
            return text(of: member)
        case .null, .bool, .list: return nil
        }
    }

    /// Whether a record can have a name.
    func isName(_ name: String) -> Bool {
        guard (1...255).contains(name.utf8.count) else { return false }
        return name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } || (try? Record.ID(type: "A", name: name)) != nil
    }

    /// Whether some key is empty, or has characters that may be written in several ways.
    var hasOddKeys: Bool { keys.contains { $0.isEmpty || $0.utf8.contains { $0 >= 0x80 } } }

    /// Whether an object has the form that a record has for a large number.
    func isDecimalMark(_ node: Int) -> Bool {
        onlyMember(of: node).map { keyText(of: $0) == "$decimal" } ?? false
    }

    /// The only member of an object; nil for other values.
    func onlyMember(of node: Int) -> Int? {
        let isAlone = kind(of: node) == .object && nodes[node].end > node + 1 && nodes[node + 1].end == nodes[node].end
        return isAlone ? node + 1 : nil
    }

    /// The keys on the way to an identifier, which may be inside a member; nil if the document does not have them.
    func keys(of identifier: String) -> [UInt32]? {
        if let key = key(identifier) { return [key] }
        let parts = identifier.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let keys = parts.compactMap { key(String($0)) }
        return parts.count > 1 && keys.count == parts.count ? keys : nil
    }

    /// The value at the end of some keys.
    func member(_ keys: [UInt32], of node: Int) -> Int? {
        keys.reduce(node) { node, key in node.flatMap { kind(of: $0) == .object ? member(key, of: $0) : nil } }
    }

    /// Whether the key of a value is longer than any name: a path with it would repeat it for each value below.
    func hasLongKey(_ node: Int) -> Bool {
        nodes[node].key != Self.noKey && keyText(of: node).utf8.count > Self.longestKey
    }
}
