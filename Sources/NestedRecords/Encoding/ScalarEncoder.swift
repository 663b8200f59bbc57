/// Encodes values that a field holds as they are.
final class ScalarEncoder<Value: FieldScalar>: TypeEncoder<Value> {
    override func encode(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue {
        if let value = value.fieldValue { return .value(value) }
        throw frame.outOfRange(value, frame.currentKey)
    }
}

extension FieldScalar {
    static var scalarEncoder: AnyTypeEncoder.Type { ScalarEncoder<Self>.self }
}

extension EncodingFrame {
    @inline(__always)
    func putScalar(_ value: some FieldScalar, forKey key: some CodingKey) throws {
        if let fieldValue = value.fieldValue { return try put(fieldValue, forKey: key) }
        if !own.isIgnored, !ignores(key) { throw outOfRange(value, key) }
    }

    @inline(__always)
    func putIfPresent(_ value: (some FieldScalar)?, forKey key: some CodingKey) throws {
        if let value { try putScalar(value, forKey: key) } else { try noteAbsent(key) }
    }

    /// The error for an integer that is too large for a field.
    func outOfRange(_ value: Any, _ key: (any CodingKey)?) -> any Error {
        let context = EncodingError.Context(
            codingPath: codingPath + (key.map { [$0] } ?? []),
            debugDescription: "\(value) is not between \(Int64.min) and \(Int64.max), the integers of a field")
        return EncodingError.invalidValue(value, context)
    }
}
