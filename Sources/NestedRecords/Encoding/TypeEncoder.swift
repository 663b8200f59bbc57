/// The encoder of a type, determined once for each type.
///
/// It serves many calls, one at a time, and begins each call like a new encoder.
class AnyTypeEncoder: TypeMapEntry {
    required override init() { super.init() }

    func begin(in call: EncodingCall) {}

    func reset() {}

    /// Notes the Swift type, if it becomes a record.
    func note(in models: inout RecordModels) {}

    /// Checks the knowledge about the type, after the call has succeeded otherwise.
    func finish(in call: EncodingCall) throws {}
}

class TypeEncoder<Value>: AnyTypeEncoder {
    func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue {
        // The subclass `PlainEncoder` encodes every type without an encoder of its own.
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "no encoder for this type"))
    }
}

/// A type of the standard library or of this library that is not encoded through its own `encode(to:)`.
protocol NativelyEncodable {
    static var typeEncoder: AnyTypeEncoder.Type { get }
}

/// The encoders of types.
///
/// Determining one takes as long as encoding a few records.
private let kinds = TypeCache<AnyTypeEncoder.Type>()

func makeTypeEncoder<Value: Encodable>(for type: Value.Type) -> AnyTypeEncoder {
    kinds.info(of: type) { kind(for: type) }.init()
}

private func kind<Value: Encodable>(for type: Value.Type) -> AnyTypeEncoder.Type {
    func record<Model: RecordEncodable>(_: Model.Type) -> AnyTypeEncoder.Type { RecordTypeEncoder<Model>.self }
    func union<Union: RecordUnion>(_: Union.Type) -> AnyTypeEncoder.Type { UnionEncoder<Union>.self }
    func scalar<Scalar: FieldScalar>(_: Scalar.Type) -> AnyTypeEncoder.Type { ScalarEncoder<Scalar>.self }
    if let type = type as? any RecordEncodable.Type { return record(type) }
    if let type = type as? any RecordUnion.Type { return union(type) }
    if let type = type as? any FieldScalar.Type { return scalar(type) }
    if let type = type as? any NativelyEncodable.Type { return type.typeEncoder }
    return PlainEncoder<Value>.self
}

final class ScalarEncoder<Value: FieldScalar>: TypeEncoder<Value> {
    override func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue { .value(value.fieldValue) }
}

class PlainEncoder<Value: Encodable>: TypeEncoder<Value> {
    private let collection = Value.self as? any UnorderedCollection.Type
    private let orders = FieldOrders()

    override func reset() { orders.reset() }

    override func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue {
        let isFlat = frame.flattensProperties && collection == nil
        let hasEntries = collection?.hasEntries ?? false
        return try frame.call.encodeContents(of: value, in: frame, orders) { inner in
            if isFlat { inner.beginFlat() }
            if hasEntries { inner.state.keys = .data }
        } take: { inner in
            let result = inner.takeValue()
            if isFlat, inner.isEmbedded(as: result) { return .embedded(result) }
            return .value(collection == nil ? result : result.sorted(byEntries: hasEntries))
        }
    }
}

enum EncodedValue {
    case value(Record.Value)
    case absent
    case embedded(Record.Value)

    var stored: Record.Value {
        switch self {
        case .value(let value), .embedded(let value): value
        case .absent: .null
        }
    }
}
