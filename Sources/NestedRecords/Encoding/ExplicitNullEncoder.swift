extension ExplicitNull: NativelyEncodable where Wrapped: Encodable {
    static func makeTypeEncoder() -> AnyTypeEncoder { ExplicitNullEncoder<Wrapped>() }
}

private final class ExplicitNullEncoder<Wrapped: Encodable>: TypeEncoder<ExplicitNull<Wrapped>> {
    override func encode(_ value: ExplicitNull<Wrapped>, in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.encode(value.wrappedValue, in: frame)
    }
}
