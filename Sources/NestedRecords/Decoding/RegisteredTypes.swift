extension DecodingCall {
    func decode<Result>(
        _ reference: Record.Reference, as types: [any RecordDecodable.Type], expected: String,
        in frame: DecodingFrame, _ accept: (Any) -> Result?
    ) throws -> Result {
        for type in types {
            if let value = try decode(reference, as: type, in: frame), let result = accept(value) { return result }
        }
        throw RecordError.unregisteredType(of: reference.id, expected: expected, context: frame.placeOfNextValue)
    }

    private func decode<Model: RecordDecodable>(
        _ reference: Record.Reference, as type: Model.Type, in frame: DecodingFrame
    ) throws -> Any? {
        try typeDecoder(of: type).with { try $0.decode(anyType: reference, in: frame) }
    }

    /// The information about the type that is registered for a record type; nil if none is registered.
    func recordType(registeredFor type: String) throws -> Borrowed<RecordTypeUse>? {
        try recordTypes?.registered(for: type).first.flatMap { try recordType(of: $0) }
    }

    private func recordType<Model: RecordDecodable>(of model: Model.Type) throws -> Borrowed<RecordTypeUse>? {
        try typeDecoder(of: model).with { try $0.recordType(in: self) }
    }

    func decode<Model: RecordDecodable>(
        subclassOf _: Model.Type, _ reference: Record.Reference, in frame: DecodingFrame
    ) throws -> Model? {
        for type in recordTypes?.registered(for: reference.id.type) ?? []
        where type is Model.Type && type != Model.self {
            if let value = try decode(reference, as: type, in: frame) as? Model { return value }
        }
        return nil
    }

    func decode<Model: RecordDecodable>(
        registered _: Model.Type, _ reference: Record.Reference, expected: String, in frame: DecodingFrame
    ) throws -> Model {
        if Model.schema.formerRecordTypes.contains(reference.id.type) {
            let reason = "it has a former record type: call migrate(\(Model.self).self)"
            throw RecordError.typeMismatch(
                expected: expected, found: reference.id, reason: reason, context: frame.placeOfNextValue)
        }
        guard Model.self is AnyClass || recordTypes?.hasFallbacks == true else {
            throw RecordError.typeMismatch(expected: expected, found: reference.id, context: frame.placeOfNextValue)
        }
        let types = (recordTypes?.types(for: reference.id.type) ?? []).filter { $0 is Model.Type }
        return try decode(reference, as: types, expected: expected, in: frame) { $0 as? Model }
    }
}
