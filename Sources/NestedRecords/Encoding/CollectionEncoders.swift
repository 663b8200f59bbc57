extension Optional: NativelyEncodable where Wrapped: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type { OptionalEncoder<Wrapped>.self }
}

extension Array: NativelyEncodable where Element: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type { ArrayEncoder<Element>.self }
}

/// Encodes nil as null; missing metadata of a record has no field.
private final class OptionalEncoder<Wrapped: Encodable>: TypeEncoder<Wrapped?> {
    override func encode(_ value: Wrapped?, in frame: EncodingFrame) throws -> EncodedValue {
        if let value { return try frame.call.encode(value, in: frame) }
        return Wrapped.self == Record.Metadata.self && frame.isOwnProperty ? .absent : .value(.null)
    }
}

private final class ArrayEncoder<Element: Encodable>: TypeEncoder<[Element]> {
    override func encode(_ value: [Element], in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.withFrame(in: frame, .list) { list in
            var values: [Record.Value] = []
            values.reserveCapacity(value.count)
            try frame.call.typeEncoder(of: Element.self).with(as: TypeEncoder<Element>.self) { encoder in
                let elements = ElementsInPlace(value)
                for position in 0..<elements.count {
                    list.state.current = .listElement(position)
                    values.append(try encoder.encode(elements[position].value, in: list).stored)
                }
            }
            return .value(.list(values))
        }
    }
}

private final class DictionaryEncoder<Value: Encodable>: TypeEncoder<[String: Value]> {
    override func encode(_ value: [String: Value], in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.withFrame(in: frame, .keyed) { map in
            for (key, value) in value.sorted(by: { $0.key < $1.key }) {
                map.state.current = .mapEntry(key)
                map.own.fields.append(key)
                let stored = try frame.call.encode(value, in: map).stored
                map.own.values.append(stored)
            }
            return .value(map.takeValue())
        }
    }
}

extension Dictionary: NativelyEncodable where Value: Encodable, Key: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type {
        Key.self == String.self ? DictionaryEncoder<Value>.self : PlainEncoder<Self>.self
    }
}

extension Record.Value {
    func sorted(byEntries: Bool) -> Record.Value {
        switch self {
        case .map(let fields):
            return .map(Record.Fields(fields.sorted { $0.name < $1.name }.map { ($0.name, $0.value) }))
        case .list(let values) where byEntries && values.count.isMultiple(of: 2):
            let pairs = stride(from: 0, to: values.count, by: 2).map { (values[$0], values[$0 + 1]) }
            return .list(pairs.sorted { $0.0.precedes($1.0) }.flatMap { [$0.0, $0.1] })
        case .list(let values) where !byEntries:
            return .list(values.sorted { $0.precedes($1) })
        default:
            return self
        }
    }

    /// A total order of all values, used only to store values in a stable order.
    ///
    /// Not recursive: values may be nested more deeply than the stack allows.
    private func precedes(_ other: Record.Value) -> Bool {
        switch (self, other) {
        case (.bool(let left), .bool(let right)): !left && right
        case (.int(let left), .int(let right)): left < right
        case (.double(let left), .double(let right)): left < right || (!left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        case (.location(let left), .location(let right)):
            (left.latitude, left.longitude) < (right.latitude, right.longitude)
        case (.reference(let left), .reference(let right)): left.id < right.id
        case (.list, .list), (.map, .map):
            NestedParts(self).lexicographicallyPrecedes(NestedParts(other)) { left, right in
                // The end of a collection precedes everything else.
                guard let left, let right else { return left == nil && right != nil }
                return left.isCollection && right.isCollection ? left.rank < right.rank : left.precedes(right)
            }
        default: rank < other.rank
        }
    }
}

/// The parts of a collection one after the other, computed on demand: the scalars, the names in maps in their order,
/// empty collections for the beginning of nested ones, and nil for the end of each.
private struct NestedParts: Sequence, IteratorProtocol {
    private var open: [ArraySlice<Record.Value>]

    init(_ collection: Record.Value) { open = [Self.contents(of: collection)] }

    private static func contents(of collection: Record.Value) -> ArraySlice<Record.Value> {
        switch collection {
        case .list(let values): values[...]
        case .map(let fields): fields.sorted { $0.name < $1.name }.flatMap { [.string($0.name), $0.value] }[...]
        default: []
        }
    }

    mutating func next() -> Record.Value?? {
        guard let last = open.indices.last else { return nil }
        guard let part = open[last].popFirst() else {
            open.removeLast()
            return .some(nil)
        }
        guard part.isCollection else { return part }
        open.append(Self.contents(of: part))
        return if case .map = part { .map([:]) } else { .list([]) }
    }
}
