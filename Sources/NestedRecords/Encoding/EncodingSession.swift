/// The state of one call of the encoder.
final class EncodingSession {
    let options: RecordEncoder

    /// The records in the order in which they were met; their fields come when they are done.
    @exclusivity(unchecked) var records: ContiguousArray<Record> = []

    /// What else is known of each record.
    @exclusivity(unchecked) var states: ContiguousArray<RecordState> = []

    /// The positions of the records in the order in which they were done: targets before those that point to them.
    @exclusivity(unchecked) var order: ContiguousArray<Int32> = []

    /// Copies to compare with a record that is not done.
    @exclusivity(unchecked) var pending: [Int: [(fields: Record.Fields, path: [any CodingKey])]] = [:]

    @exclusivity(unchecked) var index = RecordIndex()
    @exclusivity(unchecked) var shapes = ShapeTree()
    @exclusivity(unchecked) var typeEncoders = TypeCache<AnyTypeEncoder>()

    /// The open levels.
    @exclusivity(unchecked) private var levels: ContiguousArray<EncodingLevel> = []

    /// Encoders that were used before and wait for the next value, by the number of levels below theirs.
    ///
    /// One that is
    /// in use belongs to who opened it, so that it can be told whether somebody else keeps it.
    @exclusivity(unchecked) private var encoders: ContiguousArray<ValueEncoder?> = []

    /// The number of open levels.
    @inline(__always)
    var openLevels: Int { levels.count }

    /// The nested container or super encoder that is about to encode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: EncodingLevel?

    /// The first thing that went wrong and must not be overlooked, even where a type ignores errors or where the
    /// protocol gives no way to throw.
    @exclusivity(unchecked) private(set) var failure: (any Error)?

    /// The ID whose first place is wanted, and that place.
    var soughtID: Record.ID?
    private(set) var soughtPath: [any CodingKey]?

    init(encoder: RecordEncoder) {
        options = encoder
    }

    func encode<Root: RecordEncodable>(roots: [Root]) throws -> RecordGraph {
        // The levels hold the session.
        defer {
            levels.removeAll()
            encoders.removeAll()
        }
        var ids: [Record.ID] = []
        for root in roots {
            guard case .reference(let reference) = try encode(root) else { continue }
            ids.append(reference.id)
        }
        if let failure { throw failure }
        return RecordGraph(roots: ids, records: records, index: index, order: order)
    }

    /// What a value becomes: the funnel through which every value goes.
    @inline(__always)
    func encode<Value: Encodable>(_ value: Value) throws -> Record.Value {
        let encoder = typeEncoders.facts(about: Value.self) { makeTypeEncoder(for: Value.self) }
        return try unsafeDowncast(encoder, to: TypeEncoder<Value>.self).encode(value, in: self)
    }

    /// Keeps the first failure.
    @discardableResult
    func fail(_ error: any Error) -> any Error {
        if let failure { return failure }
        failure = error
        return error
    }
}

/// What is known of a record besides its fields.
struct RecordState {
    /// The class instance that the record was made of.
    ///
    /// Held, so that no other one gets its address.
    let instance: AnyObject?

    /// Whether all fields are known.
    var isDone = false
}

/// A value of a class as an object; only for types that are classes, whose values are one strong reference.
@inline(__always)
func instance<Value>(_ value: Value) -> AnyObject { unsafeBitCast(value, to: AnyObject.self) }

// MARK: Levels

extension EncodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    @inline(__always)
    func open(
        shape: Int = -1, reserving count: Int, record: Int = -1, _ facts: RecordFacts? = nil
    ) throws -> ValueEncoder {
        let encoder = takeEncoder()
        encoder.level.reopen(in: levelOfNextValue, shape: shape, reserving: count, record: record, facts)
        if nestedParent != nil { nestedParent = nil }
        guard encoder.level.depth <= options.maximumDepth else {
            throw fail(RecordError.depthLimitExceeded(options.maximumDepth, place: encoder.level.place()))
        }
        levels.append(encoder.level)
        return encoder
    }

    @inline(__always)
    private func takeEncoder() -> ValueEncoder {
        if levels.count == encoders.count { encoders.append(nil) }
        var encoder: ValueEncoder?
        swap(&encoder, &encoders[levels.count])
        return encoder ?? ValueEncoder(level: EncodingLevel(session: self))
    }

    /// Closes the innermost level.
    ///
    /// - Parameter encoder: The level's encoder. If somebody else keeps it or a container, it is left to them.
    @inline(__always)
    func close(_ encoder: inout ValueEncoder) {
        levels.removeLast()
        if isKnownUniquelyReferenced(&encoder), encoder.isContainerFree {
            encoders[levels.count] = encoder
        } else {
            encoder.level.close()
        }
    }

    /// Gives an error its place, at the innermost level that it passes.
    ///
    /// An error that ends a record is kept: the record would be missing if a type went on without it.
    func placed(_ error: any Error, _ level: EncodingLevel, _ value: Any) -> any Error {
        if let failure { return failure }
        let isRecord = level.recordPosition >= 0
        let placed: any Error
        switch error {
        case is RecordError, is EncodingConflict, is CancellationError:
            placed = error
        case EncodingError.invalidValue(let value, let context) where isRecord:
            let context = EncodingError.Context(
                codingPath: context.codingPath,
                debugDescription: context.debugDescription + level.place(of: level.currentKey).recordSuffix,
                underlyingError: context.underlyingError)
            placed = EncodingError.invalidValue(value, context)
        case is EncodingError:
            placed = error
        default:
            let place = level.place(of: level.currentKey)
            let context = EncodingError.Context(
                codingPath: place.codingPath,
                debugDescription: "encoding failed: \(error)\(isRecord ? place.recordSuffix : "")",
                underlyingError: error)
            placed = EncodingError.invalidValue(value, context)
        }
        return isRecord ? fail(placed) : placed
    }
}

// MARK: Identities

extension EncodingSession {
    /// The record with this identity: its position, and whether it was not met before.
    @inline(__always)
    func reserve(_ value: some RecordRepresentable, _ facts: RecordFacts) throws -> (position: Int, isNew: Bool) {
        let name = value.recordName
        let type = facts.recordType(of: value)
        let typeHash = facts.isDynamic ? RecordIndex.hash(ofType: type) : facts.typeHash
        let hash = RecordIndex.hash(ofType: typeHash, name: name)
        let found = index.find(hash) { position in
            let id = records[position].id
            return id.name.hasSameBytes(as: name) && id.type.hasSameBytes(as: type)
        }
        if let found { return (found, false) }
        if facts.typeFault != nil || facts.isDynamic || !name.isPlainName { try validate(type: type, name: name) }
        let position = records.count
        index.insert(hash, at: position)
        records.append(Record(id: Record.ID(checkedType: type, name: name), checkedFields: Record.Fields()))
        states.append(RecordState(instance: facts.isClass ? instance(value) : nil))
        if soughtID != nil { noteIfSought(position) }
        return (position, true)
    }

    @inline(never)
    private func validate(type: String, name: String) throws {
        guard let reason = Record.ID.fault(inType: type) ?? Record.ID.fault(inName: name) else { return }
        let place = levelOfNextValue.map { $0.place(of: $0.currentKey) }
        throw fail(RecordError.invalidID(type: type, name: name, reason: reason, place: place))
    }

    private func noteIfSought(_ position: Int) {
        guard records[position].id == soughtID else { return }
        soughtPath = pathOfNextValue
    }

    /// The level in which the next value stands.
    @inline(__always)
    var levelOfNextValue: EncodingLevel? {
        nestedParent ?? levels.last
    }

    /// The coding path of the value that is about to open a level.
    var pathOfNextValue: [any CodingKey] {
        guard let level = levelOfNextValue else { return [] }
        return level.codingPath + (level.currentKey.map { [$0] } ?? [])
    }

    /// Takes the fields of a new record.
    @inline(__always)
    func finish(_ position: Int, with fields: Record.Fields) throws {
        records[position].fields = fields
        states[position].isDone = true
        order.append(Int32(truncatingIfNeeded: position))
        if !pending.isEmpty { try comparePending(position) }
    }

    private func comparePending(_ position: Int) throws {
        for copy in pending.removeValue(forKey: position) ?? [] {
            try compare(position, with: copy.fields, at: copy.path)
        }
    }

    /// Compares a record with what another value of the same identity became.
    func compare(_ position: Int, with fields: Record.Fields, at path: [any CodingKey]) throws {
        guard states[position].isDone else {
            pending[position, default: []].append((fields, path))
            return
        }
        guard let field = records[position].fields.firstDifference(from: fields) else { return }
        throw fail(EncodingConflict(id: records[position].id, field: field, path: path))
    }
}
