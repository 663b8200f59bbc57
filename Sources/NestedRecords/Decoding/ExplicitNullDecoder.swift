extension ExplicitNull: NativelyDecodable where Wrapped: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { ExplicitNullDecoder<Wrapped>.self }
}

private final class ExplicitNullDecoder<Wrapped: Decodable>: TypeDecoder<ExplicitNull<Wrapped>> {
    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> ExplicitNull<Wrapped> {
        ExplicitNull(wrappedValue: try frame.call.decode(Wrapped?.self, field, in: frame))
    }

    override func decode(embedded fields: Record.Fields, in frame: DecodingFrame) throws -> ExplicitNull<Wrapped> {
        ExplicitNull(wrappedValue: try frame.call.decode(Wrapped?.self, embedded: fields, in: frame))
    }
}
