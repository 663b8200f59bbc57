/// Decodes records, each once per Swift type.
final class RecordTypeDecoder<Model: RecordDecodable>: TypeDecoder<Model> {
    @exclusivity(unchecked) private var typeInfo = RecordTypeInfo(Model.self)
    @exclusivity(unchecked) private var attempt = 0

    /// The same typeInfo without being held once more for every record: they change between attempts only.
    @exclusivity(unchecked) private var borrowedTypeInfo: Unmanaged<RecordTypeInfo>

    override init() {
        borrowedTypeInfo = Unmanaged.passUnretained(typeInfo)
        super.init()
    }

    /// The number among the types of records of this attempt, 0 until a record is decoded.
    @exclusivity(unchecked) private var number: Int32 = 0

    /// Values to use again, by the position of the record: class instances where another type came first, and
    /// structs from the second time on.
    @exclusivity(unchecked) private var memo: [Int: Model] = [:]

    /// The errors of records that cannot be decoded, by position.
    @exclusivity(unchecked) private var failures: [Int: any Error] = [:]

    /// The records that are open, where another type came first.
    @exclusivity(unchecked) private var open: Set<Int> = []

    override var followsReferences: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Model {
        try withUnsafePointer(to: value) { try decode(at: $0, in: session) }
    }

    override func decode(at field: UnsafePointer<Record.Value>, in session: DecodingSession) throws -> Model {
        if attempt != session.attempt { try begin(in: session) }
        let typeInfo = borrowedTypeInfo
        if typeInfo._withUnsafeGuaranteedRef({ $0.isDynamic }) { return try decodeDynamic(field.pointee, in: session) }
        guard case .reference(let reference) = field.pointee else { throw session.mismatch(Model.self, field.pointee) }
        guard typeInfo._withUnsafeGuaranteedRef({ $0.type == reference.id.type }) else {
            return try session.decode(registered: Model.self, reference, expected: self.typeInfo.type)
        }
        return try decode(reference, in: session)
    }

    @inline(never)
    private func decodeDynamic(_ value: Record.Value, in session: DecodingSession) throws -> Model {
        guard case .reference(let reference) = value else { throw session.mismatch(Model.self, value) }
        if typeInfo.isDynamic, typeInfo.isClass { return try decodeDynamicInstance(reference, in: session) }
        return try decode(reference, in: session)
    }

    // Not inlined, so that the type of an optional is not instantiated for every record.
    @inline(never)
    private func decodeDynamicInstance(
        _ reference: Record.Reference, in session: DecodingSession
    ) throws -> Model {
        try session.decode(subclassOf: Model.self, reference) ?? decode(reference, in: session)
    }

    override func decode(anyType reference: Record.Reference, in session: DecodingSession) throws -> Any? {
        if attempt != session.attempt { try begin(in: session) }
        return try decode(reference, in: session)
    }

    /// Asks the type again what it says of its records: in another attempt it may be something else.
    @inline(never)
    private func begin(in session: DecodingSession) throws {
        number = 0
        typeInfo.seenKeys = nil
        if !typeInfo.hold(for: Model.self) {
            typeInfo = RecordTypeInfo(Model.self)
            borrowedTypeInfo = Unmanaged.passUnretained(typeInfo)
        }
        try session.checkPropertyNames(of: typeInfo)
        attempt = session.attempt
    }

    @inline(__always)
    private func decode(_ reference: Record.Reference, in session: DecodingSession) throws -> Model {
        let typeInfo = borrowedTypeInfo
        guard let position = typeInfo._withUnsafeGuaranteedRef({ session.position(of: reference.id, $0) }) else {
            throw missing(reference, in: session)
        }
        if session.visits[position].decoder != 0 { return try decodeAgain(position, in: session) }
        if !failures.isEmpty, let failure = failures[position] { throw failure }
        let isClass = typeInfo._withUnsafeGuaranteedRef { $0.isClass }
        if number == 0 { number = session.makeDecoderNumber(isClass: isClass) }
        session.visits[position] = RecordVisit(decoder: number, isOpen: true)
        let depth = session.depthOfNextValue
        do {
            let value = try decodeFields(position, in: session)
            session.visits[position].isOpen = false
            if session.dependedDepth >= depth { session.dependedDepth = .max }
            if isClass { session.instances[position] = instance(value) }
            return value
        } catch {
            // A type may go on after an error, and come here again.
            session.visits[position] = RecordVisit(wasTried: true)
            // It comes again unless it depends on the records around this one, or on what is still to be fetched.
            if session.dependedDepth >= depth {
                session.dependedDepth = .max
                if !(error is UnfetchedRecord) {
                    holdValues(in: session)
                    failures[position] = error
                }
            }
            throw error
        }
    }

    @inline(__always)
    private func decodeFields(_ position: Int, in session: DecodingSession) throws -> Model {
        let typeInfo = borrowedTypeInfo
        let opened = try session.open(.record, record: position, typeInfo)
        defer { session.close() }
        let value: Model = try session.decodeContents(opened)
        if !value.recordName.hasSameBytes(as: session.record(at: position).pointee.id.name)
            || typeInfo._withUnsafeGuaranteedRef({ $0.isDynamic })
        {
            try checkIdentity(of: value, opened.frame.takeUnretainedValue())
        }
        return value
    }

    @inline(never)
    private func checkIdentity(of value: Model, _ frame: DecodingFrame) throws {
        let id = frame.session.records[frame.recordPosition].id
        let type = typeInfo.recordType(of: value)
        let hasOwnName = value is any Encodable || value is any Identifiable
        // A type that is only decoded and declares no name cannot be asked for the one that its property has taken.
        if !hasOwnName, value.recordName.isEmpty, !typeInfo.isDynamic { return }
        if value.recordName.hasSameBytes(as: id.name), !typeInfo.isDynamic || type == id.type { return }
        throw RecordError.identityMismatch(decoded: "\(type)/\(value.recordName)", record: id, context: frame.place())
    }
}

extension RecordTypeDecoder: CallScoped {
    /// Has the session release the values when the attempt ends.
    private func holdValues(in session: DecodingSession) {
        if memo.isEmpty, failures.isEmpty { session.holders.append(self) }
    }

    func reset() {
        memo = [:]
        failures = [:]
    }
}

// MARK: Records that were met before

extension RecordTypeDecoder {
    @inline(never)
    private func decodeAgain(_ position: Int, in session: DecodingSession) throws -> Model {
        let isOwner = session.visits[position].decoder == number
        if isOwner ? session.visits[position].isOpen : open.contains(position) {
            session.dependedDepth = min(session.dependedDepth, session.depth(ofRecord: position))
            throw cycle(session.records[position].id, in: session)
        }
        // The decoder that made the instance is this one, so it is of this class.
        if isOwner, typeInfo.isClass, let object = session.instances[position] {
            return unsafeBitCast(object, to: Model.self)
        }
        if let value = memo[position] { return value }
        open.insert(position)
        if isOwner { session.visits[position].isOpen = true }
        defer {
            open.remove(position)
            if isOwner { session.visits[position].isOpen = false }
        }
        let value = try decodeFields(position, in: session)
        holdValues(in: session)
        memo[position] = value
        return value
    }

    private func cycle(_ id: Record.ID, in session: DecodingSession) -> any Error {
        let place = session.placeOfNextValue
        let start = place.chain.lastIndex { $0.record == id } ?? place.chain.startIndex
        let ring = place.chain[start...] + [RecordContext.Step(record: id, path: "")]
        return RecordError.referenceCycle(Array(ring), context: place)
    }
}

// MARK: Records that are not there

extension RecordTypeDecoder {
    @inline(never)
    private func missing(_ reference: Record.Reference, in session: DecodingSession) -> any Error {
        let error = session.missing(reference)
        if error is UnfetchedRecord { learnKeys(reference.id, in: session) }
        return error
    }

    /// Has the type ask for its keys although the record is not there.
    private func learnKeys(_ id: Record.ID, in session: DecodingSession) {
        let model = ModelOfRecords(Model.self, id.type)
        guard let planner = session.planner, !planner.knows(model),
            let opened = try? session.open(.unfetched(id), borrowedTypeInfo)
        else { return }
        defer { session.close() }
        planner.note(model)
        let decoder = opened.decoder.takeUnretainedValue()
        _ = try? session.recursion.run(atDepth: session.openFrames) { try Model(from: decoder) }
        typeInfo.seenKeys = nil
    }
}
