/// Decodes records, each once per Swift type.
final class RecordTypeDecoder<Model: RecordDecodable>: TypeDecoder<Model> {
    private let facts = RecordFacts(Model.self)
    private var number: Int32 = 0

    /// Values to use again, by the position of the record: class instances where another type came first, and
    /// structs from the second time on.
    private var memo: [Int: Model] = [:]

    /// The records that are open, where another type came first.
    private var open: Set<Int> = []

    override var followsReferences: Bool { true }

    override func decode(_ value: Record.Value, in session: DecodingSession) throws -> Model {
        guard case .reference(let reference) = value else { throw session.mismatch(Model.self, value) }
        if !facts.isDynamic, reference.id.type != facts.type {
            let place = session.placeOfNextValue
            throw RecordError.typeMismatch(expected: facts.type, found: reference.id, place: place)
        }
        guard let position = session.index.position(of: reference.id, in: session.records) else {
            let error = session.missing(reference)
            if error is UnfetchedRecord { learnKeys(reference.id, in: session) }
            throw error
        }
        if number == 0 { number = session.makeDecoderNumber() }
        let visit = session.visits[position]
        if visit.decoder == number {
            if visit.isOpen { throw cycle(reference.id, in: session) }
            if facts.isClass, let instance = session.instances[position] {
                // The decoder that made the instance is this one, so it is of this class.
                return unsafeBitCast(instance, to: Model.self)
            }
        }
        if visit.decoder != 0 {
            if let value = memo[position] { return value }
            if visit.decoder != number, open.contains(position) { throw cycle(reference.id, in: session) }
        }
        return try decode(position, visit, in: session)
    }

    private func decode(_ position: Int, _ visit: RecordVisit, in session: DecodingSession) throws -> Model {
        let isFirst = visit.decoder == 0
        let isOwner = isFirst || visit.decoder == number
        mark(position, isOwner, isOpen: true, in: session)
        do {
            let value = try decodeFields(session.records[position], in: session)
            mark(position, isOwner, isOpen: false, in: session)
            if facts.isClass, isOwner {
                if session.instances.isEmpty {
                    session.instances = ContiguousArray(repeating: nil, count: session.records.count)
                }
                session.instances[position] = unsafeBitCast(value, to: AnyObject.self)
            } else if !isFirst {
                memo[position] = value
            }
            return value
        } catch {
            // A type may go on after an error, and come here again.
            mark(position, isOwner, isOpen: false, in: session)
            if isOwner { session.visits[position] = RecordVisit() }
            throw error
        }
    }

    @inline(__always)
    private func mark(_ position: Int, _ isOwner: Bool, isOpen: Bool, in session: DecodingSession) {
        if isOwner {
            session.visits[position] = RecordVisit(decoder: number, isOpen: isOpen)
        } else if isOpen {
            open.insert(position)
        } else {
            open.remove(position)
        }
    }

    @inline(__always)
    private func decodeFields(_ record: Record, in session: DecodingSession) throws -> Model {
        let decoder = try session.open(.record(record.fields))
        defer { session.closeLevel() }
        let level = decoder.level
        level.recordID = record.id
        level.facts = facts
        let value: Model
        do {
            value = try DeepRecursion.run(atDepth: session.openLevels) { try Model(from: decoder) }
        } catch {
            throw session.placed(error, level)
        }
        try checkIdentity(of: value, record.id, level)
        return value
    }

    @inline(__always)
    private func checkIdentity(of value: Model, _ id: Record.ID, _ level: DecodingLevel) throws {
        let name = value.recordName
        let type = facts.isDynamic ? facts.recordType(of: value) : id.type
        if name.hasSameBytes(as: id.name), type == id.type { return }
        throw RecordError.identityMismatch(decoded: "\(type)/\(name)", record: id, place: level.place())
    }

    /// Has the type ask for its keys although the record is not there.
    private func learnKeys(_ id: Record.ID, in session: DecodingSession) {
        guard let learner = session.learner, !learner.knows(Model.self),
            let decoder = try? session.open(.unfetched)
        else { return }
        defer { session.closeLevel() }
        learner.note(Model.self)
        decoder.level.recordID = id
        decoder.level.facts = facts
        _ = try? DeepRecursion.run(atDepth: session.openLevels) { try Model(from: decoder) }
        facts.seenKeys = nil
    }

    private func cycle(_ id: Record.ID, in session: DecodingSession) -> any Error {
        let place = session.placeOfNextValue
        let start = place.chain.lastIndex { $0.record == id } ?? place.chain.startIndex
        let ring = place.chain[start...] + [RecordPlace.Step(record: id, path: "")]
        return RecordError.referenceCycle(Array(ring), place: place)
    }
}
