extension Optional: NativelyDecodable where Wrapped: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type {
        Wrapped.self == Record.Metadata.self
            ? Record.Metadata.optionalTypeDecoder : OptionalDecoder<Wrapped>.self
    }
}

extension Array: NativelyDecodable where Element: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { ListDecoder<Self>.self }
}

extension Set: NativelyDecodable where Element: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { ListDecoder<Self>.self }
}

extension Dictionary: NativelyDecodable where Key: Decodable, Value: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type {
        Key.self == String.self ? DictionaryDecoder<Value>.self : PlainDecoder<Self>.self
    }
}

/// Decodes null as nil.
private final class OptionalDecoder<Wrapped: Decodable>: TypeDecoder<Wrapped?> {
    override var isFieldless: Bool { wrapsFieldless }

    private let wrapsFieldless = makeTypeDecoder(for: Wrapped.self).isFieldless

    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> Wrapped? {
        if case .null = field.value, !wrapsFieldless || !frame.isOwnProperty { return nil }
        return try frame.call.decodeUnlessDangling(Wrapped.self, field, in: frame)
    }

    override func decode(embedded fields: Record.Fields, in frame: DecodingFrame) throws -> Wrapped? {
        try frame.call.decode(Wrapped.self, embedded: fields, in: frame)
    }
}

/// A collection that can be made of its elements.
private protocol ListDecodable: Sequence {
    init<Elements: Sequence>(_ elements: Elements) where Elements.Element == Element
}

extension Array: ListDecodable {}
extension Set: ListDecodable {}

/// Decodes lists.
private final class ListDecoder<List: ListDecodable>: TypeDecoder<List> where List.Element: Decodable {
    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> List {
        guard case .list(let values) = field.value else {
            if let other = try frame.otherValue(than: field.value, frame.currentKey), case .list = other {
                return try StoredValue.with(other) { try decode($0, in: frame) }
            }
            throw frame.mismatch(List.self, field.value, frame.currentKey)
        }
        return List(
            try frame.call.withFrame(field.value, in: frame) { list in
                list.own.isList = true
                return try decodeElements(values, in: list)
            })
    }

    // Not inlined: in a closure the array's type is looked up for each element.
    @inline(never)
    private func decodeElements(_ values: [Record.Value], in list: DecodingFrame) throws -> [List.Element] {
        let call = list.call
        return try call.typeDecoder(of: List.Element.self).with(as: TypeDecoder<List.Element>.self) { decoder in
            var elements: [List.Element] = []
            elements.reserveCapacity(values.count)
            let maySkip = call.omitsDangling && decoder.followsReferences
            let values = ElementsInPlace(values)
            for position in 0..<values.count {
                // Not by way of an optional, of which the element would have to be copied.
                if !maySkip || !call.drops(values[position].value, decoder, in: list) {
                    elements.append(try decoder.decode(values[position], in: list))
                }
                list.own.nextIndex += 1
            }
            return elements
        }
    }
}

/// Decodes maps as dictionaries with string keys.
private final class DictionaryDecoder<Value: Decodable>: TypeDecoder<[String: Value]> {
    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> [String: Value] {
        guard case .map(let fields) = field.value, !fields.areDecimal else {
            if let other = try frame.otherValue(than: field.value, frame.currentKey), case .map = other {
                if case .reference(let reference) = field.value { frame.call.learnAllFields(of: reference.id) }
                return try StoredValue.with(other) { try decode($0, in: frame) }
            }
            throw frame.mismatch([String: Value].self, field.value, frame.currentKey)
        }
        return try frame.call.withFrame(field.value, in: frame) { map in
            var result: [String: Value] = [:]
            result.reserveCapacity(fields.count)
            let values = ElementsInPlace(fields.values)
            for (position, name) in fields.names.enumerated() {
                map.own.nextName = name
                if let value = try frame.call.decodeUnlessDangling(Value.self, values[position], in: map) {
                    result[name] = value
                }
            }
            return result
        }
    }
}
