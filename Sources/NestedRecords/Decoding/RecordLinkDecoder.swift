extension RecordLink: NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { LinkDecoder<Target>() }
}

/// Decodes references of either kind as links, which are not followed.
private final class LinkDecoder<Target: RecordRepresentable>: TypeDecoder<RecordLink<Target>> {
    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> RecordLink<Target> {
        let reference: Record.Reference = try session.decodeUnfollowed(value)
        return RecordLink(to: reference.id)
    }
}
