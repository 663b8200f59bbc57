/// How the values of a type are decoded, found out once per type and call.
class AnyTypeDecoder {
    /// Whether this is the type of records.
    var followsReferences: Bool { false }

    /// Whether values of this type may be spread over several fields.
    var mayEmbed: Bool { false }

    /// Whether properties of this type have no field in a record.
    var isFieldless: Bool { false }

    /// Decodes a record of any type; nil if this decoder is not for records.
    func decode(anyType reference: Record.Reference, in session: DecodingSession) throws -> Any? { nil }
}

/// How the values of a type are decoded.
class TypeDecoder<Value>: AnyTypeDecoder {
    /// Decodes the value of a field.
    func decode(_ value: Record.Value, in session: DecodingSession) throws -> Value {
        // The subclass `PlainDecoder` decodes every type without a decoder of its own.
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no decoder for this type"))
    }

    /// Decodes a value at an address that stays valid.
    ///
    /// Avoids copying references: a copy retains the strings of its ID.
    func decode(at field: UnsafePointer<Record.Value>, in session: DecodingSession) throws -> Value {
        try decode(field.pointee, in: session)
    }

    /// Decodes a value that may be left out: nil where its record is missing and the options allow that.
    final func decodeUnlessDangling(
        at field: UnsafePointer<Record.Value>, in session: DecodingSession
    ) throws -> Value? {
        if session.omitsDangling, followsReferences, session.drops(field.pointee) { return nil }
        return try decode(at: field, in: session)
    }

    /// Decodes a value that may be left out: nil where its record is missing and the options allow that.
    final func decodeUnlessDangling(_ value: Record.Value, in session: DecodingSession) throws -> Value? {
        if session.omitsDangling, followsReferences, session.drops(value) { return nil }
        return try decode(value, in: session)
    }
}

/// A type of the standard library that is not decoded through its own `init(from:)`.
protocol NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder
}

/// Finds out how a type is decoded.
@inline(never)
func makeTypeDecoder<Value: Decodable>(for type: Value.Type) -> AnyTypeDecoder {
    func record<Model: RecordDecodable>(_: Model.Type) -> AnyTypeDecoder { RecordTypeDecoder<Model>() }
    if let model = type as? any RecordDecodable.Type { return record(model) }
    if let union = type as? any RecordUnion.Type { return union.makeUnionDecoder() }
    if let native = type as? any NativelyDecodable.Type { return native.makeTypeDecoder() }
    if let scalar = type as? any FieldScalar.Type { return scalar.makeScalarDecoder() }
    return PlainDecoder<Value>()
}

/// Decodes a type through its own `init(from:)`.
final class PlainDecoder<Value: Decodable>: TypeDecoder<Value> {
    private let keysAreData = (Value.self as? any UnorderedCollection.Type)?.hasEntries ?? false

    override var mayEmbed: Bool { EmbeddingStrategy.mayEmbed(Value.self) }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Value {
        let isFlat = session.isNextFlat
        session.isNextFlat = false
        let opened = try session.open(.value(value))
        defer { session.close() }
        let frame = opened.frame.takeUnretainedValue()
        frame.isFlat = isFlat
        frame.keysAreData = keysAreData
        return try session.decodeContents(opened)
    }
}

extension DecodingSession {
    /// Has a type read an open frame.
    @inline(__always)
    func decodeContents<Value: Decodable>(_ opened: OpenDecodingFrame) throws -> Value {
        do {
            return try recursion.run(atDepth: openFrames) {
                try opened.decoder._withUnsafeGuaranteedRef { try Value(from: $0) }
            }
        } catch {
            throw placed(error, opened.frame.takeUnretainedValue())
        }
    }
}
