extension Optional: NativelyDecodable where Wrapped: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder {
        Wrapped.self == Record.Metadata.self
            ? Record.Metadata.makeOptionalTypeDecoder() : OptionalDecoder<Wrapped>()
    }
}

extension Array: NativelyDecodable where Element: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { ListDecoder<Self>() }
}

extension Set: NativelyDecodable where Element: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { ListDecoder<Self>() }
}

extension Dictionary: NativelyDecodable where Key: Decodable, Value: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder {
        Key.self == String.self ? DictionaryDecoder<Value>() : PlainDecoder<Self>()
    }
}

/// Decodes null as nil.
private final class OptionalDecoder<Wrapped: Decodable>: TypeDecoder<Wrapped?> {
    override var mayEmbed: Bool { NestedRecords.makeTypeDecoder(for: Wrapped.self).mayEmbed }

    override var isFieldless: Bool { wrapsFieldless }

    private let wrapsFieldless = NestedRecords.makeTypeDecoder(for: Wrapped.self).isFieldless

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Wrapped? {
        if case .null = value, !wrapsFieldless || !(session.innermostFrame?.isOwnProperty ?? false) { return nil }
        return try session.decoder(of: Wrapped.self).decodeUnlessDangling(value, in: session)
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
    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> List {
        guard case .list(let values) = value else { throw session.mismatch(List.self, value) }
        let opened = try session.open(.value(value))
        defer { session.close() }
        let frame = opened.frame.takeUnretainedValue()
        frame.isList = true
        return List(
            try session.recursion.run(atDepth: session.openFrames, isList: true) {
                try decodeElements(values, frame, in: session)
            })
    }

    // By position: a loop over an array copies each element. Not inlined: in a closure the array's type is looked up for each.
    @inline(never)
    private func decodeElements(
        _ values: [Record.Value], _ frame: DecodingFrame, in session: DecodingSession
    ) throws -> [List.Element] {
        try values.withUnsafeBufferPointer { values in
            let decoder = session.decoder(of: List.Element.self)
            var elements: [List.Element] = []
            elements.reserveCapacity(values.count)
            guard let start = values.baseAddress else { return elements }
            let maySkip = session.omitsDangling && decoder.followsReferences
            for position in values.indices {
                // Not by way of an optional, of which the element would have to be copied.
                if !maySkip || !session.drops(values[position]) {
                    elements.append(try decoder.decode(at: start + position, in: session))
                }
                frame.nextIndex += 1
            }
            return elements
        }
    }
}

/// Decodes maps as dictionaries with string keys.
private final class DictionaryDecoder<Value: Decodable>: TypeDecoder<[String: Value]> {
    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> [String: Value] {
        guard case .map(let fields) = value, !fields.areDecimal else {
            throw session.mismatch([String: Value].self, value)
        }
        let opened = try session.open(.value(value))
        defer { session.close() }
        let frame = opened.frame.takeUnretainedValue()
        let decoder = session.decoder(of: Value.self)
        return try session.recursion.run(atDepth: session.openFrames, isList: true) {
            var result: [String: Value] = [:]
            result.reserveCapacity(fields.count)
            for (position, name) in fields.names.enumerated() {
                frame.nextName = name
                if let value = try decoder.decodeUnlessDangling(fields.values[position], in: session) {
                    result[name] = value
                }
            }
            return result
        }
    }
}
