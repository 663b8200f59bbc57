extension ExplicitNull: NativelyEncodable where Wrapped: Encodable {
    static func makeTypeEncoder() -> AnyTypeEncoder { ExplicitNullEncoder<Wrapped>() }
}

private final class ExplicitNullEncoder<Wrapped: Encodable>: TypeEncoder<ExplicitNull<Wrapped>> {
    override var mayEmbed: Bool { NestedRecords.makeTypeEncoder(for: Wrapped.self).mayEmbed }

    override func encode(_ value: ExplicitNull<Wrapped>, in session: EncodingSession) throws -> Record.Value {
        try session.encode(value.wrappedValue)
    }
}
