/// How the values of a type are encoded, found out once per type and call.
class AnyTypeEncoder {
    /// What an instance of the class that this encoder is for becomes; nil if it is for something else.
    func encode(instance: AnyObject, in frame: EncodingFrame) throws -> EncodedValue? { nil }
}

/// How the values of a type are encoded.
class TypeEncoder<Value>: AnyTypeEncoder {
    /// What a value in a frame becomes.
    func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue {
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
func makeTypeEncoder<Value: Encodable>(for type: Value.Type, in call: EncodingCall) -> AnyTypeEncoder {
    func record<Model: RecordEncodable>(_: Model.Type) -> AnyTypeEncoder { RecordTypeEncoder<Model>(in: call) }
    if let model = type as? any RecordEncodable.Type { return record(model) }
    if let union = type as? any RecordUnion.Type { return union.makeUnionEncoder() }
    if let scalar = type as? any FieldScalar.Type { return scalar.makeScalarEncoder() }
    if let native = type as? any NativelyEncodable.Type { return native.makeTypeEncoder() }
    return PlainEncoder<Value>()
}

/// Encodes a type through its own `encode(to:)`.
final class PlainEncoder<Value: Encodable>: TypeEncoder<Value> {
    private let collection = Value.self as? any UnorderedCollection.Type
    private var layouts: FieldLayouts?

    override func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue {
        let isFlat = frame.flattensProperties && collection == nil
        let hasEntries = collection?.hasEntries ?? false
        return try frame.call.encodeContents(of: value, in: frame, layouts ?? addLayouts(in: frame.call)) { inner in
            if isFlat { inner.beginFlat() }
            inner.state.keysAreData = hasEntries
        } take: { inner in
            let result = inner.takeValue()
            if isFlat, inner.isEmbedded(as: result) { return .embedded(result) }
            return .value(collection == nil ? result : result.sorted(byEntries: hasEntries))
        }
    }

    @inline(never)
    private func addLayouts(in call: EncodingCall) -> FieldLayouts {
        let made = FieldLayouts(of: Value.self, isShared: call.naming.isPlain)
        layouts = made
        call.note(made)
        return made
    }
}
