// The decoders of this library's types that wrap other values.

extension ExplicitNull: NativelyDecodable where Wrapped: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { ExplicitNullDecoder<Wrapped>.self }
}

private final class ExplicitNullDecoder<Wrapped: Decodable>: TypeDecoder<ExplicitNull<Wrapped>> {
    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> ExplicitNull<Wrapped>
    {
        ExplicitNull(wrappedValue: try frame.call.decode(Wrapped?.self, field, isSpread: isSpread, in: frame))
    }
}

// A property of the type `Record.Metadata` has no field: it holds the metadata of the record that contains it.

extension Record.Metadata: NativelyDecodable {
    static var typeDecoder: AnyTypeDecoder.Type { MetadataDecoder.self }
}

private final class MetadataDecoder: PlainDecoder<Record.Metadata> {
    override var isFieldless: Bool { true }

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Record.Metadata {
        guard frame.isOwnProperty else { return try super.decode(field, isSpread: isSpread, in: frame) }
        if let metadata = frame.ownRecord.metadata {
            frame.call.state.readsMetadata = true
            return metadata
        }
        let reason = "the record was never saved, so it has no metadata: the property must be optional"
        let context = DecodingError.Context(codingPath: frame.pathOfNextValue, debugDescription: reason)
        throw frame.call.noted(DecodingError.valueNotFound(Record.Metadata.self, context), frame)
    }
}

extension RecordName: NativelyDecodable where Value: Decodable {
    static var typeDecoder: AnyTypeDecoder.Type { RecordNameDecoder<Value>.self }
}

private final class RecordNameDecoder<Value: Decodable & RecordNameConvertible>: TypeDecoder<RecordName<Value>> {
    override var isFieldless: Bool { true }

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> RecordName<Value> {
        guard frame.isOwnProperty else {
            return RecordName(wrappedValue: try frame.call.decode(Value.self, field, in: frame))
        }
        let name = frame.ownRecord.id.name
        if let value = Value(recordName: name), value.recordName?.hasSameBytes(as: name) ?? false {
            return RecordName(wrappedValue: value)
        }
        let spelling = Value.canonicalName(of: name).map { ": it is spelled '\($0)'" } ?? ""
        let reason = "the record name '\(name)' is not a valid \(Value.self)\(spelling)"
        let context = DecodingError.Context(codingPath: frame.pathOfNextValue, debugDescription: reason)
        throw frame.call.noted(DecodingError.typeMismatch(Value.self, context), frame)
    }
}

extension RecordLink: NativelyDecodable {
    static var typeDecoder: AnyTypeDecoder.Type { LinkDecoder<Target>.self }
}

/// Decodes references of both kinds as links, which are not followed.
private final class LinkDecoder<Target: RecordRepresentable>: TypeDecoder<RecordLink<Target>> {
    private let recordType = RecordLink<Target>.targetRecordType

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> RecordLink<Target> {
        let reference: Record.Reference = try frame.call.decodeUnfollowed(field.value, in: frame)
        if let recordType, reference.id.type != recordType {
            throw RecordError.typeMismatch(
                expected: "\(Target.self)", found: reference.id, context: frame.placeOfNextValue)
        }
        return RecordLink(stored: reference.id)
    }
}

final class UnionDecoder<Union: RecordUnion>: TypeDecoder<Union> {
    private let types = RecordTypeRegistry(Union.recordTypes)

    override var followsReferences: Bool { true }

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Union {
        guard case .reference(let reference) = field.value else {
            // A value that the type has written to an encoder that it was handed.
            if case .map = field.value {
                return try frame.call.decodeContents(.value(field.value), in: frame) { _ in }
            }
            throw frame.mismatch(Union.self, field.value, frame.currentKey)
        }
        let candidates = types.types(for: reference.id.type, addingSubclassesIn: frame.call.recordTypes)
        return try frame.call.decode(reference, as: candidates, expected: "\(Union.self)", in: frame) { record in
            (record as? any RecordDecodable).flatMap(Union.init)
        }
    }
}
