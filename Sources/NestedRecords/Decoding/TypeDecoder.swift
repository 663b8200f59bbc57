/// The decoder of a type, determined once for each type.
///
/// It serves many calls, one at a time, and begins each call like a new decoder.
class AnyTypeDecoder: TypeMapEntry {
    required override init() { super.init() }

    func reset() {}

    var followsReferences: Bool { false }

    var isFieldless: Bool { false }

    /// The information about the properties of a record of this type; nil if this decoder is not for records.
    func recordType(in call: DecodingCall) throws -> Borrowed<RecordTypeUse>? { nil }

    /// Checks and keeps the knowledge about the type, after the call has succeeded otherwise.
    func finish(_ records: ContiguousArray<Record>) throws {}

    /// Decodes a record of any type; nil if this decoder is not for records.
    func decode(anyType reference: Record.Reference, in frame: DecodingFrame) throws -> Any? { nil }
}

class TypeDecoder<Value>: AnyTypeDecoder {
    func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Value {
        // The subclass `PlainDecoder` decodes every type without a decoder of its own.
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no decoder for this type"))
    }
}

/// A type of the standard library or of this library that is not decoded through its own `init(from:)`.
protocol NativelyDecodable {
    static var typeDecoder: AnyTypeDecoder.Type { get }
}

/// The decoders of types.
///
/// Determining one takes as long as decoding a few records.
private let kinds = TypeCache<AnyTypeDecoder.Type>()

func makeTypeDecoder<Value: Decodable>(for type: Value.Type) -> AnyTypeDecoder {
    kinds.info(of: type) { kind(for: type) }.init()
}

private func kind<Value: Decodable>(for type: Value.Type) -> AnyTypeDecoder.Type {
    func record<Model: RecordDecodable>(_: Model.Type) -> AnyTypeDecoder.Type { RecordTypeDecoder<Model>.self }
    func union<Union: RecordUnion>(_: Union.Type) -> AnyTypeDecoder.Type { UnionDecoder<Union>.self }
    func scalar<Scalar: FieldScalar>(_: Scalar.Type) -> AnyTypeDecoder.Type { ScalarDecoder<Scalar>.self }
    if let type = type as? any RecordDecodable.Type { return record(type) }
    if let type = type as? any RecordUnion.Type { return union(type) }
    if let type = type as? any NativelyDecodable.Type { return type.typeDecoder }
    if let type = type as? any FieldScalar.Type { return scalar(type) }
    return PlainDecoder<Value>.self
}

class PlainDecoder<Value: Decodable>: TypeDecoder<Value> {
    private let keysAreData = (Value.self as? any UnorderedCollection.Type)?.hasEntries ?? false
    private let tables = SlotTables()

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Value {
        try frame.call.decodeContents(.value(field.value), in: frame, .value, Borrowed(tables)) { inner in
            inner.own.isFlat = isSpread
            if keysAreData { inner.state.keys = .data }
        }
    }
}
