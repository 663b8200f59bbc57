// A property of the type `Record.Metadata` has no field: it is the metadata of the record that contains it.

extension Record.Metadata: NativelyDecodable {
    static var typeDecoder: AnyTypeDecoder.Type { MetadataDecoder.self }
}

private final class MetadataDecoder: PlainDecoder<Record.Metadata> {
    override var isFieldless: Bool { true }

    override func decode(_ field: StoredValue, in frame: DecodingFrame) throws -> Record.Metadata {
        guard frame.isOwnProperty else { return try super.decode(field, in: frame) }
        if let metadata = frame.ownRecord.metadata { return metadata }
        let reason = "the record was never saved, so it has no metadata: the property must be optional"
        let context = DecodingError.Context(codingPath: frame.pathOfNextValue, debugDescription: reason)
        throw frame.call.noted(DecodingError.valueNotFound(Record.Metadata.self, context), frame)
    }
}
