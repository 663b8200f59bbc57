/// The state of one call of the encoder.
final class EncodingSession {
    let options: RecordEncoder

    /// The records in the order in which they were met; their fields come when they are done.
    @exclusivity(unchecked) var records: ContiguousArray<Record> = []

    /// For each record the class instance that it was made of. Held, so that no other one gets its address.
    @exclusivity(unchecked) var instances: ContiguousArray<AnyObject?> = []

    /// For each record whether all its fields are known.
    @exclusivity(unchecked) var isDone: ContiguousArray<Bool> = []

    /// The positions of the records in the order in which they were done: targets before those that point to them.
    @exclusivity(unchecked) var order: ContiguousArray<Int32> = []

    /// Copies to compare with a record that is not done.
    @exclusivity(unchecked) var pending: [Int: [(fields: Record.Fields, path: [any CodingKey])]] = [:]

    @exclusivity(unchecked) var index = RecordIndex()
    @exclusivity(unchecked) var shapes = ShapeTree()
    @exclusivity(unchecked) var typeEncoders = TypeCache<AnyTypeEncoder>()

    /// One encoder for each open level, and those that were used before and wait for the next value.
    @exclusivity(unchecked) var encoders: ContiguousArray<ValueEncoder> = []
    @exclusivity(unchecked) var openLevels = 0

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
        defer { encoders.removeAll() }
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

// MARK: Levels

extension EncodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    @inline(__always)
    func open(shape: Int?, reserving count: Int) throws -> ValueEncoder {
        if openLevels == encoders.count { encoders.append(ValueEncoder(level: EncodingLevel(session: self))) }
        let encoder = encoders[openLevels]
        let level = encoder.level
        let parent = levelOfNextValue
        nestedParent = nil
        level.reopen(in: parent, shape: shape, reserving: count)
        openLevels += 1
        guard level.depth <= options.maximumDepth else {
            openLevels -= 1
            throw fail(RecordError.depthLimitExceeded(options.maximumDepth, place: level.place()))
        }
        return encoder
    }

    /// Closes the innermost level. What somebody kept of it is left to them.
    @inline(__always)
    func closeLevel() {
        openLevels -= 1
        if isKnownUniquelyReferenced(&encoders[openLevels]), encoders[openLevels].isContainerFree { return }
        encoders[openLevels].level.close()
        encoders[openLevels] = ValueEncoder(level: EncodingLevel(session: self))
    }

    /// Gives an error its place, at the innermost level that it passes.
    func placed(_ error: any Error, _ level: EncodingLevel, _ value: Any) -> any Error {
        if let failure { return failure }
        let place = level.place(of: level.currentKey)
        switch error {
        case is RecordError, is EncodingConflict:
            return error
        case EncodingError.invalidValue(let value, let context):
            guard level.recordID != nil else { return error }
            let context = EncodingError.Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription + place.recordSuffix,
                underlyingError: context.underlyingError)
            return fail(EncodingError.invalidValue(value, context))
        default:
            let context = EncodingError.Context(
                codingPath: place.codingPath, debugDescription: "encoding failed: \(error)\(place.recordSuffix)",
                underlyingError: error)
            let wrapped = EncodingError.invalidValue(value, context)
            return level.recordID == nil ? wrapped : fail(wrapped)
        }
    }
}

// MARK: Identities

extension EncodingSession {
    /// The record with this identity: its position, and whether it was not met before.
    @inline(__always)
    func reserve(type: String, name: String) throws -> (position: Int, isNew: Bool) {
        let hash = index.hash(type: type, name: name)
        let found = index.find(hash) {
            records[$0].id.name.hasSameBytes(as: name) && records[$0].id.type.hasSameBytes(as: type)
        }
        if let found { return (found, false) }
        if let reason = Record.ID.fault(inName: name) ?? Record.ID.fault(inType: type) {
            let place = levelOfNextValue.map { $0.place(of: $0.currentKey) }
            throw fail(RecordError.invalidID(type: type, name: name, reason: reason, place: place))
        }
        let position = records.count
        index.insert(hash, at: position)
        records.append(Record(id: Record.ID(checkedType: type, name: name), checkedFields: Record.Fields()))
        isDone.append(false)
        if soughtID != nil { noteIfSought(position) }
        return (position, true)
    }

    private func noteIfSought(_ position: Int) {
        guard records[position].id == soughtID else { return }
        soughtPath = pathOfNextValue
    }

    /// The level in which the next value stands.
    @inline(__always)
    var levelOfNextValue: EncodingLevel? {
        nestedParent ?? (openLevels > 0 ? encoders[openLevels - 1].level : nil)
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
        isDone[position] = true
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
        guard isDone[position] else {
            pending[position, default: []].append((fields, path))
            return
        }
        guard let field = records[position].fields.firstDifference(from: fields) else { return }
        throw fail(EncodingConflict(id: records[position].id, field: field, path: path))
    }
}
