extension ExplicitNull: NativelyEncodable where Wrapped: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type { ExplicitNullEncoder<Wrapped>.self }
}

private final class ExplicitNullEncoder<Wrapped: Encodable>: TypeEncoder<ExplicitNull<Wrapped>> {
    override func encode(_ value: ExplicitNull<Wrapped>, in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.encode(value.wrappedValue, in: frame)
    }
}
