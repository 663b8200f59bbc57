/// Decodes values that a field holds as they are.
final class ScalarDecoder<Value: FieldScalar>: TypeDecoder<Value> {
    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> Value {
        try Value.read(at: field) { try frame.readLeniently(field.value, frame.currentKey) }
    }
}

/// Decodes values whose references are read as they are, and not followed.
private final class UnfollowedDecoder<Value: FieldScalar>: TypeDecoder<Value> {
    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> Value {
        try frame.call.decodeUnfollowed(field.value, in: frame)
    }
}

extension NativelyDecodable where Self: FieldScalar {
    static var typeDecoder: AnyTypeDecoder.Type { UnfollowedDecoder<Self>.self }
}

extension Record.Reference: NativelyDecodable {}
extension Record.Fields: NativelyDecodable {}
extension Record.Value: NativelyDecodable {}
