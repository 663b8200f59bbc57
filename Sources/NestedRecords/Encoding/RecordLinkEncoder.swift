extension RecordLink: NativelyEncodable {
    static var typeEncoder: AnyTypeEncoder.Type {
        func holding<Model: RecordEncodable>(_: Model.Type) -> AnyTypeEncoder.Type { HeldLinkEncoder<Model>.self }
        return (Target.self as? any RecordEncodable.Type).map { holding($0) } ?? LinkEncoder<Target>.self
    }
}

/// Encodes links to records that are somewhere else.
private class LinkEncoder<Target: RecordRepresentable>: TypeEncoder<RecordLink<Target>> {
    override func encode(_ value: RecordLink<Target>, in frame: EncodingFrame) throws -> EncodedValue {
        .value(.reference(Record.Reference(to: value.id, isLink: true)))
    }
}

/// Encodes links together with the values that they were made from.
private final class HeldLinkEncoder<Target: RecordEncodable>: LinkEncoder<Target> {
    override func encode(_ value: RecordLink<Target>, in frame: EncodingFrame) throws -> EncodedValue {
        guard let target = value.value else { return try super.encode(value, in: frame) }
        guard case .value(.reference(var reference)) = try frame.call.encode(targetOfLink: target, in: frame)
        else {
            throw failure(target, "the target of the link became no record", in: frame)
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
