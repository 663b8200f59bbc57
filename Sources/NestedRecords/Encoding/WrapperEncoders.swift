// The encoders of this library's types that wrap other values.

extension ExplicitNull: NativelyEncodable where Wrapped: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type { ExplicitNullEncoder<Wrapped>.self }
}

private final class ExplicitNullEncoder<Wrapped: Encodable>: TypeEncoder<ExplicitNull<Wrapped>> {
    override func encode(_ value: ExplicitNull<Wrapped>, in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.encode(value.wrappedValue, in: frame)
    }
}

// A property of the type `Record.Metadata` has no field: it holds the metadata of the record that contains it.

extension Record.Metadata: NativelyEncodable {
    static var typeEncoder: AnyTypeEncoder.Type { MetadataEncoder.self }
}

private final class MetadataEncoder: PlainEncoder<Record.Metadata> {
    override func encode(_ value: Record.Metadata, in frame: EncodingFrame) throws -> EncodedValue {
        guard frame.isOwnProperty else { return try super.encode(value, in: frame) }
        try frame.call.note(value, ofRecord: frame.recordPosition, in: frame)
        return .absent
    }
}

extension RecordName: NativelyEncodable where Value: Encodable {
    static var typeEncoder: AnyTypeEncoder.Type { RecordNameEncoder<Value>.self }
}

private final class RecordNameEncoder<Value: Encodable & RecordNameConvertible>: TypeEncoder<RecordName<Value>> {
    override func encode(_ value: RecordName<Value>, in frame: EncodingFrame) throws -> EncodedValue {
        let position = frame.recordPosition
        guard frame.isOwnProperty, let name = frame.call.recordID(at: position)?.name else {
            return try frame.call.encode(value.wrappedValue, in: frame)
        }
        let isName = value.recordName?.hasSameBytes(as: name) ?? frame.call.state.table.hasMadeName(position)
        guard isName else {
            let reason = "the property with @RecordName is '\(value.wrappedValue)', but the record's name is '\(name)'"
            let key = frame.currentKey?.stringValue ?? ""
            throw frame.call.fail(RecordError.invalidKey(key, reason: reason, context: frame.placeOfNextValue))
        }
        return .absent
    }
}

extension RecordLink: NativelyEncodable {
    static var typeEncoder: AnyTypeEncoder.Type {
        func holding<Model: RecordEncodable>(_: Model.Type) -> AnyTypeEncoder.Type { HeldLinkEncoder<Model>.self }
        return (Target.self as? any RecordEncodable.Type).map { holding($0) } ?? LinkEncoder<Target>.self
    }
}

private class LinkEncoder<Target: RecordRepresentable>: TypeEncoder<RecordLink<Target>> {
    private let recordType = RecordLink<Target>.targetRecordType

    override func encode(_ value: RecordLink<Target>, in frame: EncodingFrame) throws -> EncodedValue {
        if let recordType, value.id.type != recordType {
            throw frame.call.fail(
                RecordError.typeMismatch(
                    expected: "\(Target.self)", found: value.id, context: frame.placeOfNextValue))
        }
        return .value(.reference(Record.Reference(to: value.id, isLink: true)))
    }
}

private final class HeldLinkEncoder<Target: RecordEncodable>: LinkEncoder<Target> {
    override func encode(_ value: RecordLink<Target>, in frame: EncodingFrame) throws -> EncodedValue {
        guard let target = value.value else { return try super.encode(value, in: frame) }
        guard case .value(.reference(var reference)) = try frame.call.encode(targetOfLink: target, in: frame)
        else {
            throw failure(target, "the target of the link was not encoded as a record", in: frame)
        }
        guard reference.id == value.id else {
            let reason = "the target of the link to \(value.id) has become \(reference.id) since the link was made"
            throw failure(target, reason, in: frame)
        }
        reference.isLink = true
        return .value(.reference(reference))
    }

    private func failure(_ target: Target, _ reason: String, in frame: EncodingFrame) -> any Error {
        let context = EncodingError.Context(codingPath: frame.pathOfNextValue, debugDescription: reason)
        return frame.call.fail(EncodingError.invalidValue(target, context))
    }
}

final class UnionEncoder<Union: RecordUnion>: TypeEncoder<Union> {
    override func encode(_ value: Union, in frame: EncodingFrame) throws -> EncodedValue {
        try frame.call.encode(value.record, in: frame)
    }
}
