import NestedRecords

/// A value that writes three texts or two, and leaves its encoder or a container of it on a shelf.
struct LeavingPart: Encodable {
    enum Kind: String, CaseIterable {
        case encoder, keyed, copiedKeyed, otherKeys, bothKeys, manyContainers
        case unkeyed, single, nested, nestedInNested, nestedList, listInList, superEncoder, superContainer
    }

    enum Keys: CodingKey { case first, inner, last }
    enum OtherKeys: CodingKey { case first, inner, last }

    var kind: Kind
    var text: String
    var shelf: Shelf?
    var meanwhile: () throws -> Void = {}

    /// What the value becomes.
    var value: Record.Value {
        let text = Record.Value.string(text)
        return switch kind {
        case .encoder, .keyed, .copiedKeyed, .otherKeys, .bothKeys, .manyContainers:
            .map(["first": text, "inner": text, "last": text])
        case .unkeyed: .list([text, text])
        case .single: text
        case .nested: .map(["first": text, "inner": .map(["first": text]), "last": text])
        case .nestedInNested: .map(["first": text, "inner": .map(["inner": .map(["first": text])]), "last": text])
        case .nestedList: .map(["first": text, "inner": .list([text]), "last": text])
        case .listInList: .list([.list([text]), text])
        case .superEncoder, .superContainer: .map(["first": text, "super": .map(["first": text]), "last": text])
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch kind {
        case .unkeyed, .listInList: try encodeList(to: encoder)
        case .single:
            var container = encoder.singleValueContainer()
            try meanwhile()
            try container.encode(text)
            leave(encoder) { try container.encode($0) }
        default: try encodeKeyed(to: encoder)
        }
    }

    private func encodeList(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if kind == .unkeyed {
            try container.encode(text)
        } else {
            var nested = container.nestedUnkeyedContainer()
            try nested.encode(text)
            leave(encoder) { try nested.encode($0) }
        }
        leave(encoder) { try container.encode($0) }
        try meanwhile()
        try container.encode(text)
    }

    private func encodeKeyed(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(text, forKey: .first)
        try encodeInner(to: encoder, &container)
        try meanwhile()
        try container.encode(text, forKey: .last)
    }

    private func encodeInner(to encoder: any Encoder, _ container: inout KeyedEncodingContainer<Keys>) throws {
        switch kind {
        case .encoder:
            try container.encode(text, forKey: .inner)
            leave(encoder) {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode($0, forKey: .inner)
            }
            leave(encoder) {
                var container = encoder.container(keyedBy: OtherKeys.self)
                var nested = container.nestedUnkeyedContainer(forKey: .inner)
                try nested.encode($0)
                try $0.encode(to: container.superEncoder())
            }
        case .copiedKeyed, .keyed:
            try container.encode(text, forKey: .inner)
            var copy = container
            leave(encoder) { try copy.encode([[$0]], forKey: .inner) }
        case .otherKeys, .bothKeys:
            var other = encoder.container(keyedBy: OtherKeys.self)
            try other.encode(text, forKey: .inner)
            leave(encoder) { try other.encode($0, forKey: .inner) }
            if kind == .bothKeys {
                var copy = container
                leave(encoder) { try copy.encode($0, forKey: .last) }
            }
        case .manyContainers:
            try container.encode(text, forKey: .inner)
            for _ in 0..<20 {
                var one = encoder.container(keyedBy: Keys.self)
                var other = encoder.container(keyedBy: OtherKeys.self)
                leave(encoder) {
                    try? one.encode($0, forKey: .last)
                    try other.encodeIfPresent($0, forKey: .last)
                }
            }
        default: try encodeNested(to: encoder, &container)
        }
    }

    private func encodeNested(to encoder: any Encoder, _ container: inout KeyedEncodingContainer<Keys>) throws {
        switch kind {
        case .nested, .nestedInNested:
            var nested = container.nestedContainer(keyedBy: OtherKeys.self, forKey: .inner)
            if kind == .nestedInNested { nested = nested.nestedContainer(keyedBy: OtherKeys.self, forKey: .inner) }
            try nested.encode(text, forKey: .first)
            leave(encoder) { try nested.encode($0, forKey: .last) }
        case .nestedList:
            var nested = container.nestedUnkeyedContainer(forKey: .inner)
            try nested.encode(text)
            leave(encoder) { try nested.encode(contentsOf: [$0, $0]) }
        case .superContainer:
            var base = container.superEncoder().container(keyedBy: OtherKeys.self)
            try base.encode(text, forKey: .first)
            leave(encoder) { try base.encode([$0: $0], forKey: .inner) }
        default:
            let superEncoder = container.superEncoder()
            var base = superEncoder.container(keyedBy: OtherKeys.self)
            try base.encode(text, forKey: .first)
            leave(superEncoder) { try [FreeKey($0).stringValue: 1].encode(to: superEncoder) }
        }
    }

    private func leave(_ encoder: any Encoder, _ write: @escaping (String) throws -> Void) {
        let leftover = Leftover({ encoder.codingPath }, { encoder.userInfo[.recordID] }) { text in
            try write(text)
            return ""
        }
        shelf?.leave(leftover)
    }
}

/// A record that is such a value, or holds one.
struct Leaver: RecordEncodable {
    enum Place: String, CaseIterable { case record, field, element, entry }

    static var recordType: String { "Leaver" }
    var recordName: String { part.text }
    var place: Place
    var part: LeavingPart

    /// The record that is made of it.
    var line: String {
        let value =
            switch place {
            case .record: part.value
            case .field, .element: Record.Value.map([part.text: place == .field ? part.value : .list([part.value])])
            case .entry: Record.Value.map([part.text: .map([part.text: part.value])])
            }
        if case .map = value { return "Leaver/\(part.text) \(value)" }
        return "Leaver/\(part.text) \(Record.Value.map(["value": value]))"
    }

    func encode(to encoder: any Encoder) throws {
        if place == .record { return try part.encode(to: encoder) }
        var container = encoder.container(keyedBy: FreeKey.self)
        let key = FreeKey(part.text)
        switch place {
        case .record: break
        case .field: try container.encode(part, forKey: key)
        case .element: try container.encode([part], forKey: key)
        case .entry: try container.encode([part.text: part], forKey: key)
        }
    }
}
