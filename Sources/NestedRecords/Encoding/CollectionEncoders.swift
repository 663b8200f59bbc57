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
        switch contents {
        case .map(let fields)?:
            return .map(Record.Fields(fields.sorted { $0.name < $1.name }.map { ($0.name, $0.value) }))
        case .list(let values)? where !byEntries:
            return .list(values.sorted { $0.precedes($1) })
        case .list(let values)? where values.count.isMultiple(of: 2):
            let pairs = stride(from: 0, to: values.count, by: 2).map { (values[$0], values[$0 + 1]) }
            return .list(pairs.sorted { $0.0.precedes($1.0) }.flatMap { [$0.0, $0.1] })
        case .list?, nil:
            return self
        }
    }
}
