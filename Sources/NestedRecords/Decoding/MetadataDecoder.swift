// A property of the type `Record.Metadata` has no field: it is the metadata of the record that contains it.

extension Record.Metadata: NativelyDecodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { MetadataDecoder() }

    /// How optional metadata are decoded: a record that was never saved has none.
    static func makeOptionalTypeDecoder() -> AnyTypeDecoder { OptionalMetadataDecoder() }
}

private final class MetadataDecoder: TypeDecoder<Record.Metadata> {
    private let plain = PlainDecoder<Record.Metadata>()

    override var mayEmbed: Bool { true }

    override var isFieldless: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Record.Metadata {
        guard let frame = session.innermostFrame, frame.isOwnProperty else {
            return try plain.decode(value, in: session)
        }
        if let metadata = frame.ownMetadata { return metadata }
        let path = frame.codingPath + (frame.currentKey.map { [$0] } ?? [])
        let reason = "the record was never saved, so it has no metadata: the property must be optional"
        throw session.placed(
            DecodingError.valueNotFound(Record.Metadata.self, .init(codingPath: path, debugDescription: reason)), frame)
    }
}

private final class OptionalMetadataDecoder: TypeDecoder<Record.Metadata?> {
    override var mayEmbed: Bool { true }

    override var isFieldless: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Record.Metadata? {
        if let frame = session.innermostFrame, frame.isOwnProperty { return frame.ownMetadata }
        if case .null = value { return nil }
        return try session.decoder(of: Record.Metadata.self).decode(value, in: session)
    }
}
