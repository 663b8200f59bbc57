// A property of the type `Record.Metadata` has no field: it is the metadata of the record that contains it.

extension Record.Metadata: NativelyEncodable {
    static func makeTypeEncoder() -> AnyTypeEncoder { MetadataEncoder() }

    /// How optional metadata are encoded: nil leaves no field either.
    static func makeOptionalTypeEncoder() -> AnyTypeEncoder { OptionalMetadataEncoder() }
}

private final class MetadataEncoder: TypeEncoder<Record.Metadata> {
    private let plain = PlainEncoder<Record.Metadata>()

    override var mayEmbed: Bool { true }

    override func encode(_ value: Record.Metadata, in session: EncodingSession) throws -> Record.Value {
        guard let frame = session.frameOfNextValue, frame.isOwnProperty else {
            return try plain.encode(value, in: session)
        }
        try session.note(value, ofRecord: frame.ownRecordPosition)
        session.outcome = .absent
        return .null
    }
}

private final class OptionalMetadataEncoder: TypeEncoder<Record.Metadata?> {
    override func encode(_ value: Record.Metadata?, in session: EncodingSession) throws -> Record.Value {
        if let value { return try session.encode(value) }
        if session.frameOfNextValue?.isOwnProperty ?? false { session.outcome = .absent }
        return .null
    }
}

extension EncodingSession {
    /// Notes the metadata that a value carries for its record.
    ///
    /// Values with one identity and equal fields may lack it, but not differ in it.
    fileprivate func note(_ metadata: Record.Metadata, ofRecord position: Int) throws {
        if let known = records[position].metadata, known != metadata {
            let path = frameOfNextValue?.codingPath ?? []
            throw fail(EncodingConflict(id: records[position].id, field: "metadata", path: path))
        }
        records[position].metadata = metadata
    }
}
