/// Decodes values that a field holds as they are.
final class ScalarDecoder<Value: FieldScalar>: TypeDecoder<Value> {
    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Value {
        try Value.read(value) { try session.readLeniently(value) }
    }
}

extension FieldScalar {
    static func makeScalarDecoder() -> AnyTypeDecoder { ScalarDecoder<Self>() }
}

/// Decodes values whose references are read as they are, and not followed.
private final class UnfollowedDecoder<Value: FieldScalar>: TypeDecoder<Value> {
    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Value {
        try session.decodeUnfollowed(value)
    }
}

extension Record.Reference: NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { UnfollowedDecoder<Self>() }
}

extension Record.Fields: NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { UnfollowedDecoder<Self>() }
}

extension Record.Value: NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { UnfollowedDecoder<Self>() }
}
