import NestedRecords
import TestSupport

/// A value that reads its text, and leaves its decoder or a container of it on a shelf to read it again.
struct LazyPart: Decodable {
    enum Kind: String, CaseIterable {
        case decoder, keyed, otherKeys, manyContainers, embedded, unkeyed, listInList, single
        case nested, nestedInNested, nestedList, superDecoder, superContainer, record
    }

    enum Keys: CodingKey { case first, inner, list, leaf }
    enum OtherKeys: CodingKey { case leaf, first, inner, list }

    struct Leaf: RecordCodable, Identifiable { var id: String }
    struct Embedded: Decodable { var first: String }

    /// What is left, and where; not told by options, since calls with options are another matter.
    @TaskLocal static var kind = Kind.keyed
    @TaskLocal static var shelf: Shelf?

    var text: String

    /// The value to read.
    static func value(_ kind: Kind, _ text: String) throws -> Record.Value {
        let string = Record.Value.string(text)
        switch kind {
        case .unkeyed, .listInList: return .list([string, .list([string]), string])
        case .single: return string
        default:
            let inner = Record.Value.map(["first": string, "inner": .map(["first": string])])
            return .map([
                "first": string, "inner": inner, "list": .list([string, string]),
                "leaf": try Flat.reference("Leaf/\(text)"),
            ])
        }
    }

    init(from decoder: any Decoder) throws {
        let read = try Self.reader(decoder)
        text = try read()
        let leftover = Leftover({ decoder.codingPath }, { decoder.userInfo[.recordID] }) { _ in try read() }
        Self.shelf?.leave(leftover)
    }

    /// What reads the text from the decoder, as often as it is called.
    private static func reader(_ decoder: any Decoder) throws -> () throws -> String {
        switch kind {
        case .unkeyed, .listInList: return try listReader(decoder)
        case .single:
            let container = try decoder.singleValueContainer()
            return { try container.decode(String.self) }
        case .decoder:
            return { try decoder.container(keyedBy: OtherKeys.self).decode(String.self, forKey: .first) }
        case .manyContainers:
            let all = try (0..<10).map { _ in
                (try decoder.container(keyedBy: Keys.self), try decoder.container(keyedBy: OtherKeys.self))
            }
            return {
                let texts = try all.map {
                    try $0.decode(String.self, forKey: .first) + $1.decode(String.self, forKey: .first)
                }
                return Set(texts).count == 1 ? String(texts[0].prefix(texts[0].count / 2)) : "\(texts)"
            }
        case .otherKeys:
            _ = try decoder.container(keyedBy: Keys.self)
            return try reader(of: decoder.container(keyedBy: OtherKeys.self), .first)
        default: return try nestedReader(decoder.container(keyedBy: Keys.self))
        }
    }

    private static func reader<Key>(of container: KeyedDecodingContainer<Key>, _ key: Key) -> () throws -> String {
        { try container.decode(String.self, forKey: key) }
    }

    private static func listReader(_ decoder: any Decoder) throws -> () throws -> String {
        var container = try decoder.unkeyedContainer()
        if kind == .listInList {
            _ = try container.decode(String.self)
            container = try container.nestedUnkeyedContainer()
        }
        let start = container
        return {
            var container = start
            return try container.decode(String.self)
        }
    }

    private static func nestedReader(_ container: KeyedDecodingContainer<Keys>) throws -> () throws -> String {
        switch kind {
        case .nested, .nestedInNested:
            var nested = try container.nestedContainer(keyedBy: OtherKeys.self, forKey: .inner)
            if kind == .nestedInNested { nested = try nested.nestedContainer(keyedBy: OtherKeys.self, forKey: .inner) }
            return reader(of: nested, .first)
        case .nestedList:
            let list = try container.nestedUnkeyedContainer(forKey: .list)
            return {
                var list = list
                _ = try list.decode(String.self)
                return try list.decode(String.self)
            }
        case .superDecoder:
            let superDecoder = try container.superDecoder(forKey: .inner)
            return { try superDecoder.container(keyedBy: Keys.self).decode(Embedded.self, forKey: .inner).first }
        case .superContainer:
            return reader(of: try container.superDecoder(forKey: .inner).container(keyedBy: Keys.self), .first)
        case .embedded: return { try container.decode(Embedded.self, forKey: .inner).first }
        case .record: return { try container.decode(Leaf.self, forKey: .leaf).id }
        default: return reader(of: container, .first)
        }
    }
}

/// A record that is such a value, or holds one.
struct LazyReader: RecordDecodable {
    static var recordType: String { "LazyReader" }
    let recordName: String
    let text: String

    init(from decoder: any Decoder) throws {
        recordName = (decoder.userInfo[.recordID] as? Record.ID)?.name ?? ""
        let container = try decoder.container(keyedBy: FreeKey.self)
        guard let key = container.allKeys.first, key.stringValue == recordName else {
            text = try LazyPart(from: decoder).text
            return
        }
        if let part = try? container.decode([LazyPart].self, forKey: key) {
            text = part.map(\.text).joined()
        } else {
            text = try container.decode(LazyPart.self, forKey: key).text
        }
    }

    /// The records to read.
    static func graph(_ kind: LazyPart.Kind, _ place: Leaver.Place, _ text: String) throws -> RecordGraph {
        let value = try LazyPart.value(kind, text)
        let fields: Record.Fields
        switch place {
        case .record:
            if case .map(let own) = value { fields = own } else { fields = ["value": value] }
        case .field, .entry: fields = [text: value]
        case .element: fields = [text: .list([value])]
        }
        let records = [
            try Flat.record("Leaf/\(text)", ["id": .string(text)]), try Flat.record("LazyReader/\(text)", fields),
        ]
        return try RecordGraph(records, roots: [records[1].id])
    }
}
