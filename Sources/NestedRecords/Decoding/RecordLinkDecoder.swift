extension RecordLink: NativelyDecodable {
    static var typeDecoder: AnyTypeDecoder.Type { LinkDecoder<Target>.self }
}

/// Decodes references of either kind as links, which are not followed.
private final class LinkDecoder<Target: RecordRepresentable>: TypeDecoder<RecordLink<Target>> {
    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> RecordLink<Target> {
        let reference: Record.Reference = try frame.call.decodeUnfollowed(field.value, in: frame)
        return RecordLink(to: reference.id)
    }
}
