import NestedRecords

/// The value of a field, with the records it refers to.
enum NestedValue: Decodable, Sendable {
    /// A value without references to follow.
    case plain(Record.Value)
    case list([NestedValue])
    case map(names: [String], values: [NestedValue])
    case record(NestedRecord)

    /// A reference to a missing record, or to a record that encloses this value.
    case reference(Record.ID)

    /// Reads a list or a map whose elements may be references.
    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        guard let context = decoder.userInfo[.nesting] as? NestingContext else {
            throw DecodingError.dataCorruptedError(
                in: single, debugDescription: "only a Nesting nests records")
        }
        let value = try single.decode(Record.Value.self)
        switch value.contents {
        case .list(let elements)?:
            var list = try decoder.unkeyedContainer()
            self = .list(try elements.map { try NestedValue($0, nextIn: &list, context) })
        case .map(let fields)?:
            let container = try decoder.container(keyedBy: FieldKey.self)
            let values = try fields.map {
                try NestedValue($0.value, at: FieldKey(stringValue: $0.name), in: container, context)
            }
            self = .map(names: fields.map(\.name), values: values)
        case nil:
            self = .plain(value)
        }
    }

    /// Reads the value of a key.
    init(
        _ value: Record.Value, at key: FieldKey, in container: KeyedDecodingContainer<FieldKey>,
        _ context: NestingContext
    ) throws {
        if case .reference(let reference) = value, !reference.isLink {
            self = try Self.follow(reference, context) { try container.decode(NestedRecord.self, forKey: key) }
        } else {
            self = value.hasReferenceToFollow ? try container.decode(NestedValue.self, forKey: key) : .plain(value)
        }
    }

    /// Reads the next element of a list.
    private init(
        _ value: Record.Value, nextIn list: inout any UnkeyedDecodingContainer, _ context: NestingContext
    ) throws {
        let index = list.currentIndex
        if case .reference(let reference) = value, !reference.isLink {
            self = try Self.follow(reference, context) { try list.decode(NestedRecord.self) }
        } else {
            self = value.hasReferenceToFollow ? try list.decode(NestedValue.self) : .plain(value)
        }
        // Skips an element that was not decoded.
        if list.currentIndex == index { _ = try list.decode(Record.Value.self) }
    }

    private static func follow(
        _ reference: Record.Reference, _ context: NestingContext, _ decode: () throws -> NestedRecord
    ) throws -> NestedValue {
        guard !context.isOpen(reference.id) else { return .reference(reference.id) }
        do {
            return .record(try decode())
        } catch let error as RecordError
            where error.code == .danglingReference && error.recordID == reference.id
        {
            return .reference(reference.id)
        }
    }
}

extension Record.Value {
    /// Whether this is, or contains, a reference that is not a link.
    var hasReferenceToFollow: Bool {
        contains { value, _ in if case .reference(let reference) = value { !reference.isLink } else { false } }
    }
}

/// The coding key of a field or member with any name.
struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}
