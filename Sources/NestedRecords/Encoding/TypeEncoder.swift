/// How the values of a type are encoded, found out once per type and call.
class AnyTypeEncoder {
    /// Whether values of this type may become a map that can be flattened.
    var mayEmbed: Bool { false }

    /// What an instance of the class that this encoder is for becomes; nil if it is for something else.
    func encode(instance: AnyObject, in session: EncodingSession) throws -> Record.Value? { nil }
}

/// How the values of a type are encoded.
class TypeEncoder<Value>: AnyTypeEncoder {
    /// The value of the field or element for a value.
    func encode(_ value: Value, in session: EncodingSession) throws -> Record.Value {
        // The subclass `PlainEncoder` encodes every type without an encoder of its own.
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "no encoder for this type"))
    }

}

/// A type of the standard library that is not encoded through its own `encode(to:)`.
protocol NativelyEncodable {
    static func makeTypeEncoder() -> AnyTypeEncoder
}

/// Finds out how a type is encoded.
@inline(never)
func makeTypeEncoder<Value: Encodable>(for type: Value.Type) -> AnyTypeEncoder {
    func record<Model: RecordEncodable>(_: Model.Type) -> AnyTypeEncoder { RecordTypeEncoder<Model>() }
    if let model = type as? any RecordEncodable.Type { return record(model) }
    if let union = type as? any RecordUnion.Type { return union.makeUnionEncoder() }
    if let scalar = type as? any FieldScalar.Type { return scalar.makeScalarEncoder() }
    if let native = type as? any NativelyEncodable.Type { return native.makeTypeEncoder() }
    return PlainEncoder<Value>()
}

/// Encodes a type through its own `encode(to:)`.
final class PlainEncoder<Value: Encodable>: TypeEncoder<Value> {
    private let collection = Value.self as? any UnorderedCollection.Type
    @exclusivity(unchecked) private var root: ShapeNode?

    override var mayEmbed: Bool { EmbeddingStrategy.mayEmbed(Value.self) }

    override func encode(_ value: Value, in session: EncodingSession) throws -> Record.Value {
        let root = root ?? session.shapes.addRoot()
        self.root = root
        let isFlat = session.flattens && collection == nil && session.frameOfNextValue?.flattensProperties ?? false
        let opened = try session.open(shape: Unmanaged.passUnretained(root))
        defer { session.close() }
        return try opened.frame._withUnsafeGuaranteedRef { frame in
            frame.isFlat = isFlat
            frame.keysAreData = collection?.hasEntries ?? false
            try session.encodeContents(of: value, opened)
            let result = frame.takeValue()
            if isFlat, frame.isEmbedded(as: result) { session.outcome = .embedded }
            return collection.map { result.sorted(byEntries: $0.hasEntries) } ?? result
        }
    }
}

extension EncodingSession {
    /// Has a value write itself to an open frame.
    @inline(__always)
    func encodeContents<Value: Encodable>(of value: Value, _ opened: OpenEncodingFrame) throws {
        do {
            try recursion.run(atDepth: openFrames) {
                try opened.encoder._withUnsafeGuaranteedRef { try value.encode(to: $0) }
            }
        } catch {
            throw placed(error, opened.frame.takeUnretainedValue(), value)
        }
        if let failure { throw failure }
    }
}
