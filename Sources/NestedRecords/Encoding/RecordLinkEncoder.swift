extension RecordLink: NativelyEncodable {
    static func makeTypeEncoder() -> AnyTypeEncoder {
        func holding<Model: RecordEncodable>(_: Model.Type) -> AnyTypeEncoder { HeldLinkEncoder<Model>() }
        return (Target.self as? any RecordEncodable.Type).map { holding($0) } ?? LinkEncoder<Target>()
    }
}

/// Encodes links to records that are somewhere else.
private class LinkEncoder<Target: RecordRepresentable>: TypeEncoder<RecordLink<Target>> {
    override func encode(_ value: RecordLink<Target>, in session: EncodingSession) throws -> Record.Value {
        .reference(Record.Reference(to: value.id, isLink: true))
    }
}

/// Encodes links together with the values that they were made from.
private final class HeldLinkEncoder<Target: RecordEncodable>: LinkEncoder<Target> {
    override func encode(_ value: RecordLink<Target>, in session: EncodingSession) throws -> Record.Value {
        guard let target = value.value else { return try super.encode(value, in: session) }
        guard case .reference(var reference) = try session.encode(target) else {
            let context = EncodingError.Context(
                codingPath: session.pathOfNextValue, debugDescription: "the target of the link became no record")
            throw session.fail(EncodingError.invalidValue(target, context))
        }
        guard reference.id == value.id else {
            let reason = "the target of the link to \(value.id) has become \(reference.id) since the link was made"
            let context = EncodingError.Context(codingPath: session.pathOfNextValue, debugDescription: reason)
            throw session.fail(EncodingError.invalidValue(target, context))
        }
        reference.isLink = true
        return .reference(reference)
    }
}
