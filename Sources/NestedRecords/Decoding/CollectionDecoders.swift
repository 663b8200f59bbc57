extension Optional: NativelyDecodable where Wrapped: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { OptionalDecoder<Wrapped>.self }
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

private final class OptionalDecoder<Wrapped: Decodable>: TypeDecoder<Wrapped?> {
    override var isFieldless: Bool { wrapsFieldless }

    private let wrapsFieldless = makeTypeDecoder(for: Wrapped.self).isFieldless

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Wrapped? {
        if isSpread { return try frame.call.decode(Wrapped.self, field, isSpread: true, in: frame) }
        if wrapsFieldless, frame.isOwnProperty {
            if Wrapped.self == Record.Metadata.self, frame.ownRecord.metadata == nil { return nil }
        } else if case .null = field.value {
            return nil
        }
        return try frame.call.decodeUnlessDangling(Wrapped.self, field, in: frame)
    }
}

private protocol ListDecodable: Sequence {
    init()
    mutating func makeRoom(for count: Int)
    mutating func add(_ element: consuming Element)
}

extension Array: ListDecodable {
    fileprivate mutating func makeRoom(for count: Int) { reserveCapacity(count) }
    fileprivate mutating func add(_ element: consuming Element) { append(element) }
}

extension Set: ListDecodable {
    fileprivate mutating func makeRoom(for count: Int) { reserveCapacity(count) }
    fileprivate mutating func add(_ element: consuming Element) { insert(element) }
}

private final class ListDecoder<List: ListDecodable>: TypeDecoder<List> where List.Element: Decodable {
    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> List {
        guard case .list(let values) = field.value else {
            if let other = try frame.content(of: field.value), case .list = other {
                return try StoredValue.with(other) { try decode($0, isSpread: false, in: frame) }
            }
            throw frame.mismatch(List.self, field.value, frame.currentKey)
        }
        return try frame.call.withFrame(field.value, in: frame) { list in
            try decodeElements(ElementsInPlace(values), in: list)
        }
    }

    // The frame holds the list. Nothing here names the array type: the runtime would look it up for each list.
    private func decodeElements(_ values: ElementsInPlace<Record.Value>, in frame: DecodingFrame) throws -> List {
        let call = frame.call
        return try call.typeDecoder(of: List.Element.self).with(as: TypeDecoder<List.Element>.self) { decoder in
            var list = List()
            list.makeRoom(for: values.count)
            let maySkip = call.omitsDangling && decoder.followsReferences
            for position in 0..<values.count {
                frame.state.current = .listElement(position)
                // Not through an optional, which would copy the element.
                if maySkip, call.drops(values[position].value, in: frame) { continue }
                list.add(try decoder.decode(values[position], isSpread: false, in: frame))
            }
            return list
        }
    }
}

private final class DictionaryDecoder<Value: Decodable>: TypeDecoder<[String: Value]> {
    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> [String: Value] {
        guard case .map(let fields) = field.value, !fields.areDecimal else {
            if let other = try frame.content(of: field.value), case .map = other {
                if case .reference(let reference) = field.value { frame.call.learnAllFields(of: reference.id) }
                return try StoredValue.with(other) { try decode($0, isSpread: false, in: frame) }
            }
            throw frame.mismatch([String: Value].self, field.value, frame.currentKey)
        }
        return try frame.call.withFrame(field.value, in: frame) { map in
            var result: [String: Value] = [:]
            result.reserveCapacity(fields.count)
            let values = ElementsInPlace(fields.values)
            for (position, name) in fields.names.enumerated() {
                map.state.current = .mapEntry(name)
                if let value = try frame.call.decodeUnlessDangling(Value.self, values[position], in: map) {
                    result[name] = value
                }
            }
            return result
        }
    }
}
