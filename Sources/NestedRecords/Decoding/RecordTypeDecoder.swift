/// Decodes records, each once per Swift type.
final class RecordTypeDecoder<Model: RecordDecodable>: TypeDecoder<Model> {
    @exclusivity(unchecked) private var facts = RecordFacts(Model.self)
    @exclusivity(unchecked) private var attempt = 0

    /// The same facts without being held once more for every record: they change between attempts only.
    @exclusivity(unchecked) private var borrowedFacts: Unmanaged<RecordFacts>

    override init() {
        borrowedFacts = Unmanaged.passUnretained(facts)
        super.init()
    }

    /// The number among the types of records of this attempt, 0 until a record is decoded.
    @exclusivity(unchecked) private var number: Int32 = 0

    /// Values to use again, by the position of the record: class instances where another type came first, and
    /// structs from the second time on.
    @exclusivity(unchecked) private var memo: [Int: Model] = [:]

    /// The errors of records that cannot be decoded, wherever they stand.
    @exclusivity(unchecked) private var failures: [Int: any Error] = [:]

    /// The records that are open, where another type came first.
    @exclusivity(unchecked) private var open: Set<Int> = []

    override var followsReferences: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Model {
        try withUnsafePointer(to: value) { try decode(at: $0, in: session) }
    }

    override func decode(at field: UnsafePointer<Record.Value>, in session: DecodingSession) throws -> Model {
        if attempt != session.attempt { try begin(in: session) }
        let facts = borrowedFacts
        if facts._withUnsafeGuaranteedRef({ $0.isDynamic }) { return try decodeDynamic(field.pointee, in: session) }
        guard case .reference(let reference) = field.pointee else { throw session.mismatch(Model.self, field.pointee) }
        guard facts._withUnsafeGuaranteedRef({ $0.type == reference.id.type }) else {
            return try session.decode(registered: Model.self, reference, expected: self.facts.type)
        }
        return try decode(reference, in: session)
    }

    @inline(never)
    private func decodeDynamic(_ value: Record.Value, in session: DecodingSession) throws -> Model {
        guard case .reference(let reference) = value else { throw session.mismatch(Model.self, value) }
        if facts.isDynamic, facts.isClass { return try decodeDynamicInstance(reference, in: session) }
        return try decode(reference, in: session)
    }

    // Apart, so that the type of an optional is not put together for every record.
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
        facts.seenKeys = nil
        if !facts.hold(for: Model.self) {
            facts = RecordFacts(Model.self)
            borrowedFacts = Unmanaged.passUnretained(facts)
        }
        try session.checkPropertyNames(of: facts)
        attempt = session.attempt
    }

    @inline(__always)
    private func decode(_ reference: Record.Reference, in session: DecodingSession) throws -> Model {
        let facts = borrowedFacts
        guard let position = facts._withUnsafeGuaranteedRef({ session.position(of: reference.id, $0) }) else {
            throw missing(reference, in: session)
        }
        if session.visits[position].decoder != 0 { return try decodeAgain(position, in: session) }
        if !failures.isEmpty, let failure = failures[position] { throw failure }
        let isClass = facts._withUnsafeGuaranteedRef { $0.isClass }
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
        let facts = borrowedFacts
        let opened = try session.open(.record, record: position, facts)
        defer { session.close() }
        let value: Model = try session.decodeContents(opened)
        if !value.recordName.hasSameBytes(as: session.record(at: position).pointee.id.name)
            || facts._withUnsafeGuaranteedRef({ $0.isDynamic })
        {
            try checkIdentity(of: value, opened.level.takeUnretainedValue())
        }
        return value
    }

    @inline(never)
    private func checkIdentity(of value: Model, _ level: DecodingLevel) throws {
        let id = level.session.records[level.recordPosition].id
        let type = facts.recordType(of: value)
        if value.recordName.hasSameBytes(as: id.name), !facts.isDynamic || type == id.type { return }
        throw RecordError.identityMismatch(decoded: "\(type)/\(value.recordName)", record: id, place: level.place())
    }
}

extension RecordTypeDecoder: ValueHolder {
    /// Has the session tell when values need not be held any more.
    private func holdValues(in session: DecodingSession) {
        if memo.isEmpty, failures.isEmpty { session.holders.append(self) }
    }

    func letGo() {
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
        if isOwner, facts.isClass, let object = session.instances[position] {
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
        let ring = place.chain[start...] + [RecordPlace.Step(record: id, path: "")]
        return RecordError.referenceCycle(Array(ring), place: place)
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
        guard let learner = session.learner, !learner.knows(model),
            let opened = try? session.open(.unfetched(id), borrowedFacts)
        else { return }
        defer { session.close() }
        learner.note(model)
        let decoder = opened.decoder.takeUnretainedValue()
        _ = try? session.recursion.run(atDepth: session.openLevels) { try Model(from: decoder) }
        facts.seenKeys = nil
    }
}
