/// Encodes values that a field holds as they are.
final class ScalarEncoder<Value: FieldScalar>: TypeEncoder<Value> {
    override func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue { .value(value.fieldValue) }
}

extension EncodingFrame {
    @inline(__always)
    func putScalar(_ value: some FieldScalar, forKey key: some CodingKey) throws {
        try put(value.fieldValue, forKey: key)
    }

    @inline(__always)
    func putIfPresent(_ value: (some FieldScalar)?, forKey key: some CodingKey) throws {
        if let value { try putScalar(value, forKey: key) } else { try noteAbsent(key) }
    }
}
