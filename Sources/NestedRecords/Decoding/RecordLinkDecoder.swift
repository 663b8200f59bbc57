extension Reference: NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { ReferenceDecoder<Target>() }
}

/// Decodes references of either kind as links, which nobody follows.
private final class ReferenceDecoder<Target: RecordRepresentable>: TypeDecoder<Reference<Target>> {
    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Reference<Target> {
        let reference: Record.Reference = try session.decodeUnfollowed(value)
        return Reference(to: reference.id)
    }
}
