/// Encodes values that a field holds as they are.
final class ScalarEncoder<Value: FieldScalar>: TypeEncoder<Value> {
    override func encode(_ value: Value, in session: EncodingSession) throws -> Record.Value {
        if let value = value.fieldValue { return value }
        throw session.outOfRange(value)
    }
}

extension FieldScalar {
    static func makeScalarEncoder() -> AnyTypeEncoder { ScalarEncoder<Self>() }
}

extension EncodingSession {
    /// The error for the next value, an integer that is too large for a field.
    fileprivate func outOfRange(_ value: Any) -> any Error {
        EncodingFrame.outOfRange(value, at: pathOfNextValue)
    }
}

extension EncodingFrame {
    @inline(__always)
    func putScalar(_ value: some FieldScalar, forKey key: some CodingKey) throws {
        if let fieldValue = value.fieldValue { return try put(fieldValue, forKey: key) }
        if !isIgnored, !ignores(key) { throw outOfRange(value, key) }
    }

    /// The error for an integer that is too large for a field.
    func outOfRange(_ value: Any, _ key: (any CodingKey)?) -> any Error {
        Self.outOfRange(value, at: codingPath + (key.map { [$0] } ?? []))
    }

    fileprivate static func outOfRange(_ value: Any, at path: [any CodingKey]) -> any Error {
        let context = EncodingError.Context(
            codingPath: path,
            debugDescription: "\(value) is not between \(Int64.min) and \(Int64.max), the integers of a field")
        return EncodingError.invalidValue(value, context)
    }
}
