/// Encodes values as records, each identity once.
final class RecordTypeEncoder<Model: RecordEncodable>: TypeEncoder<Model> {
    @exclusivity(unchecked) private var facts = RecordFacts(Model.self)
    @exclusivity(unchecked) private var call = 0
    @exclusivity(unchecked) private var shape = -1
    @exclusivity(unchecked) private var lastCount = 0

    /// The values that were met as further ones of their identity.
    @exclusivity(unchecked) private var copies: [Copy: Model] = [:]

    /// A value by the position of its record and its bytes.
    ///
    /// Copies share the storage of their texts and lists. A value that is kept holds that storage, so equal bytes mean
    /// equal values; and one that stands in many places costs a look-up in each.
    private struct Copy: Hashable {
        let position: Int
        let bytes: [UInt8]
    }

    override func encode(_ value: Model, in session: EncodingSession) throws -> Record.Value {
        if call != session.call { begin(session.call) }
        if facts.isClass, type(of: value) != Model.self, let encoded = try encode(subclass: value, in: session) {
            return encoded
        }
        let (position, isNew) = try session.reserve(value, facts)
        if isNew {
            let fields = try encodeFields(value, position, in: session)
            try session.finish(position, with: fields)
        } else {
            try encodeAgain(value, position, in: session)
        }
        return .reference(Record.Reference(to: session.records[position].id))
    }

    /// Asks the type again what it says of its records: in another call it may be something else.
    @inline(never)
    private func begin(_ call: Int) {
        self.call = call
        if facts.hold(for: Model.self) { return }
        facts = RecordFacts(Model.self)
        shape = -1
    }

    /// Encodes an instance of a subclass as what it is, wherever it stands.
    @inline(never)
    private func encode(subclass value: Model, in session: EncodingSession) throws -> Record.Value? {
        func make<Subclass: RecordEncodable>(_: Subclass.Type) -> AnyTypeEncoder { RecordTypeEncoder<Subclass>() }
        let type: any RecordEncodable.Type = type(of: value)
        if type.recordType == facts.type, !facts.isDynamic {
            let reason =
                "\(type) and \(Model.self) have one record type, and it would be decoded as \(Model.self): "
                + "state another one in the subclass"
            let place = session.levelOfNextValue.map { $0.place(of: $0.currentKey) }
            throw session.fail(
                RecordError.invalidID(type: facts.type, name: value.recordName, reason: reason, place: place))
        }
        let encoder = session.typeEncoders.facts(about: type) { make(type) }
        return try encoder.encode(instance: instance(value), in: session)
    }

    override func encode(instance: AnyObject, in session: EncodingSession) throws -> Record.Value? {
        guard facts.isClass else { return nil }
        // Whoever calls looked this encoder up by the instance's own class.
        return try encode(unsafeBitCast(instance, to: Model.self), in: session)
    }

    @inline(__always)
    private func encodeFields(_ value: Model, _ position: Int, in session: EncodingSession) throws -> Record.Fields {
        if shape < 0 { shape = session.shapes.addRoot() }
        var encoder = try session.open(shape: shape, reserving: lastCount, record: position, facts)
        defer { session.close(&encoder) }
        try session.encodeContents(of: value, encoder)
        let fields = encoder.level.takeFields()
        lastCount = fields.values.count
        return fields
    }

    /// Compares a value whose identity was met before with the record that is there.
    @inline(never)
    private func encodeAgain(_ value: Model, _ position: Int, in session: EncodingSession) throws {
        if facts.isClass, session.states[position].instance === instance(value) { return }
        let copy = Copy(position: position, bytes: withUnsafeBytes(of: value, Array.init))
        if copies[copy] != nil { return }
        // Noted first: the value may be met again while its fields are encoded.
        if copies.isEmpty { session.holders.append(self) }
        copies[copy] = value
        let path = session.pathOfNextValue
        try session.compare(position, with: try encodeFields(value, position, in: session), at: path)
    }
}

extension RecordTypeEncoder: ValueHolder {
    func letGo() { copies = [:] }
}
