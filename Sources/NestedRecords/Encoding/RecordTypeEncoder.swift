/// Encodes values as records, each identity once.
final class RecordTypeEncoder<Model: RecordEncodable>: TypeEncoder<Model> {
    @exclusivity(unchecked) private var typeInfo = RecordTypeInfo(Model.self)
    @exclusivity(unchecked) private var call = -1

    /// The same typeInfo without being held once more for every record: they change between calls only.
    @exclusivity(unchecked) private var borrowedTypeInfo: Unmanaged<RecordTypeInfo>

    override init() {
        borrowedTypeInfo = Unmanaged.passUnretained(typeInfo)
        super.init()
    }

    /// Where the names of the fields begin in the session's tree, which holds it.
    @exclusivity(unchecked) private var root: Unmanaged<ShapeNode>?

    /// The values that were met as further ones of their identity.
    @exclusivity(unchecked) private var copies: [Copy: Model] = [:]

    /// A value by the position of its record and its bytes.
    ///
    /// Copies share the storage of their strings and lists. A value that is kept holds that storage, so equal bytes mean
    /// equal values; and each further occurrence of a value costs one look-up.
    private struct Copy: Hashable {
        let position: Int
        let bytes: [UInt8]
    }

    override func encode(_ value: Model, in session: EncodingSession) throws -> Record.Value {
        if call != session.call { try begin(session) }
        let typeInfo = borrowedTypeInfo
        if typeInfo._withUnsafeGuaranteedRef({ $0.isClass }), type(of: value) != Model.self,
            let encoded = try encode(subclass: value, in: session)
        {
            return encoded
        }
        let (position, isNew) = try typeInfo._withUnsafeGuaranteedRef { try session.reserve(value, $0) }
        if isNew {
            try session.finish(position, with: try encodeFields(value, position, in: session))
        } else {
            try encodeAgain(value, position, in: session)
        }
        return .reference(Record.Reference(to: session.records[position].id))
    }

    /// Asks the type again what it says of its records: in another call it may be something else.
    @inline(never)
    private func begin(_ session: EncodingSession) throws {
        if call >= 0, !typeInfo.hold(for: Model.self) {
            typeInfo = RecordTypeInfo(Model.self)
            borrowedTypeInfo = Unmanaged.passUnretained(typeInfo)
            root = nil
        }
        call = session.call
        try session.checkPropertyNames(of: typeInfo)
    }

    /// Encodes an instance of a subclass as its own class, whatever the type of the property.
    @inline(never)
    private func encode(subclass value: Model, in session: EncodingSession) throws -> Record.Value? {
        func make<Subclass: RecordEncodable>(_: Subclass.Type) -> AnyTypeEncoder { RecordTypeEncoder<Subclass>() }
        let type: any RecordEncodable.Type = type(of: value)
        if type.recordType == typeInfo.type, !typeInfo.isDynamic {
            let reason =
                "\(type) and \(Model.self) have one record type, and it would be decoded as \(Model.self): "
                + "state another one in the subclass"
            let place = session.frameOfNextValue.map { $0.place(of: $0.currentKey) }
            throw session.fail(
                RecordError.invalidID(type: typeInfo.type, name: value.recordName, reason: reason, context: place))
        }
        let encoder = session.typeEncoders.typeInfo(about: type) { make(type) }
        return try encoder.encode(instance: instance(value), in: session)
    }

    override func encode(instance: AnyObject, in session: EncodingSession) throws -> Record.Value? {
        guard typeInfo.isClass else { return nil }
        // The caller looked this encoder up by the instance's own class.
        return try encode(unsafeBitCast(instance, to: Model.self), in: session)
    }

    @inline(__always)
    private func encodeFields(_ value: Model, _ position: Int, in session: EncodingSession) throws -> Record.Fields {
        let root = root ?? makeRoot(in: session)
        let opened = try session.open(shape: root, record: position, borrowedTypeInfo)
        defer { session.close() }
        return try opened.frame._withUnsafeGuaranteedRef { frame in
            try session.encodeContents(of: value, opened)
            return frame.takeFields()
        }
    }

    @inline(never)
    private func makeRoot(in session: EncodingSession) -> Unmanaged<ShapeNode> {
        let made = Unmanaged.passUnretained(session.shapes.addRoot())
        root = made
        return made
    }

    /// Compares a value whose identity was met before with the record that is there.
    @inline(never)
    private func encodeAgain(_ value: Model, _ position: Int, in session: EncodingSession) throws {
        if typeInfo.isClass, session.states[position].instance === instance(value) { return }
        let copy = Copy(position: position, bytes: withUnsafeBytes(of: value, Array.init))
        if copies[copy] != nil { return }
        // Noted first: the value may be met again while its fields are encoded.
        if copies.isEmpty { session.holders.append(self) }
        copies[copy] = value
        let path = session.pathOfNextValue
        try session.compare(position, with: try encodeFields(value, position, in: session), at: path)
    }
}

extension RecordTypeEncoder: CallScoped {
    func reset() { copies = [:] }
}
