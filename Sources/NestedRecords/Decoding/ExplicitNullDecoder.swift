extension ExplicitNull: NativelyDecodable where Wrapped: Decodable {
    static func makeTypeDecoder() -> AnyTypeDecoder { ExplicitNullDecoder<Wrapped>() }
}

private final class ExplicitNullDecoder<Wrapped: Decodable>: TypeDecoder<ExplicitNull<Wrapped>> {
    override var mayEmbed: Bool { NestedRecords.makeTypeDecoder(for: Wrapped.self).mayEmbed }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> ExplicitNull<Wrapped> {
        ExplicitNull(wrappedValue: try session.decoder(of: Wrapped?.self).decode(value, in: session))
    }
}
