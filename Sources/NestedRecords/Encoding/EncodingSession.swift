/// The state of one call of the encoder, and what is known from those before it about Swift types.
final class EncodingSession {
    @exclusivity(unchecked) private(set) var options: RecordEncoder

    /// The number of the call, by which the encoders of types know that a new one has begun.
    @exclusivity(unchecked) private(set) var call = 0

    /// The records in the order in which they were met; their fields come when they are done.
    @exclusivity(unchecked) var records = GrowingList<Record>()

    /// What else is known of each record.
    @exclusivity(unchecked) var states = GrowingList<RecordState>()

    /// The positions of the records in the order in which they were done: targets before those that point to them.
    @exclusivity(unchecked) var order = GrowingList<Int32>()

    /// Copies to compare with a record that is not done.
    @exclusivity(unchecked) var pending: [Int: [(fields: Record.Fields, path: [any CodingKey])]] = [:]

    @exclusivity(unchecked) var index = RecordIndex.empty
    @exclusivity(unchecked) var shapes = ShapeTree()
    /// Where values are flattened: the names of records by themselves, the levels whose fields can be told apart, and
    /// the keys that fields belong to.
    @exclusivity(unchecked) var knownNames: [[String]: FieldNames] = [:]
    @exclusivity(unchecked) var soundShapes: Set<FlatShape> = []
    @exclusivity(unchecked) var fieldKeys: FieldOwners

    /// Where keys are renamed: for each type of keys the key that each field belongs to.
    @exclusivity(unchecked) var fieldOwners: [ObjectIdentifier: [String: String]] = [:]

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeEncoders = TypeCache<AnyTypeEncoder>()

    /// The open levels, and behind them some that were used before and wait for the next value.
    ///
    /// Each is there as its encoder, which nobody else holds for longer than its value is open.
    @exclusivity(unchecked) private var encoders = GrowingList<ValueEncoder>()

    /// The same levels without being held: counting references takes longer than all else that is done with them.
    @exclusivity(unchecked) private var stack = GrowingList<OpenLevel>()

    /// The number of open levels, and the largest one of this call.
    @exclusivity(unchecked) private(set) var openLevels = 0
    @exclusivity(unchecked) private var mostOpenLevels = 0

    /// Whether somebody outside may hold an encoder or a container.
    @exclusivity(unchecked) var mayBeHeld = false

    /// The encoders of types that hold values of this call.
    @exclusivity(unchecked) var holders: [any ValueHolder] = []

    /// The nested container or super encoder that is about to encode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: EncodingLevel?

    /// Whether embedded values are spread over the fields of their record.
    let flattens: Bool

    /// What is to be done with the property that was encoded last.
    @exclusivity(unchecked) var outcome = EncodingOutcome.value

    /// The first thing that went wrong and must not be overlooked, even where a type ignores errors or where the
    /// protocol gives no way to throw.
    @exclusivity(unchecked) private(set) var failure: (any Error)?

    /// The ID whose first place is wanted, and that place.
    var soughtID: Record.ID?
    var soughtPath: [any CodingKey]?

    init(encoder: RecordEncoder) {
        options = encoder
        flattens = encoder.embeddingStrategy != .map
        fieldKeys = FieldOwners(
            FieldNaming(keyStrategy: encoder.keyStrategy, separator: encoder.embeddingStrategy.separator))
    }

    func encode<Root: RecordEncodable>(roots: [Root]) throws -> RecordGraph {
        var hasEnded = false
        defer { if !hasEnded || !rest() { dismantle() } }
        var ids: [Record.ID] = []
        for root in roots {
            guard case .reference(let reference) = try encode(root) else {
                let context = EncodingError.Context(codingPath: [], debugDescription: "the root became no record")
                throw EncodingError.invalidValue(root, context)
            }
            ids.append(reference.id)
        }
        if let failure { throw failure }
        hasEnded = true
        let mostKept = SessionLimits.records
        return RecordGraph(
            roots: ids, records: records.takeContiguous(keeping: mostKept), index: index,
            order: order.takeContiguous(keeping: mostKept))
    }

    /// What a value becomes: the funnel through which every value goes.
    @inline(__always)
    func encode<Value: Encodable>(_ value: Value) throws -> Record.Value {
        try typeEncoder(of: Value.self).encode(value, in: self)
    }

    @inline(__always)
    func typeEncoder<Value: Encodable>(of _: Value.Type) -> TypeEncoder<Value> {
        let encoder = typeEncoders.facts(about: Value.self) { makeTypeEncoder(for: Value.self) }
        return unsafeDowncast(encoder, to: TypeEncoder<Value>.self)
    }

    /// Keeps the first failure.
    @discardableResult
    func fail(_ error: any Error) -> any Error {
        if let failure { return failure }
        failure = error
        return error
    }
}

/// A level and its encoder, which the session holds as long as the level is open.
struct OpenLevel {
    let encoder: Unmanaged<ValueEncoder>
    let level: Unmanaged<EncodingLevel>

    init(_ encoder: ValueEncoder) {
        self.encoder = Unmanaged.passUnretained(encoder)
        level = Unmanaged.passUnretained(encoder.level)
    }

    @inline(__always)
    var depth: Int { level._withUnsafeGuaranteedRef { $0.depth } }
}

/// What is to be done with an encoded property.
enum EncodingOutcome {
    /// It is stored in its field.
    case value
    /// It is known without a field of its own.
    case absent
    /// It is a map whose fields become fields of the record.
    case embedded
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

// MARK: Calls

extension EncodingSession {
    private static let pool = SessionPool<EncodingSession>()

    /// A session for one call.
    static func session(for encoder: RecordEncoder) -> EncodingSession {
        // What is known about types depends on these.
        guard !encoder.keyStrategy.renames, encoder.embeddingStrategy == .map, let session = pool.take() else {
            return EncodingSession(encoder: encoder)
        }
        session.options = encoder
        session.call += 1
        return session
    }

    /// Waits for another call, without anything that belongs to this one.
    ///
    /// - Returns: Whether the session waits now; if not it is of no more use.
    private func rest() -> Bool {
        guard !mayBeHeld, openLevels == 0, soughtID == nil, !options.keyStrategy.renames, !flattens,
            encoders.count <= SessionLimits.levels,
            shapes.count <= SessionLimits.shapes, typeEncoders.count <= SessionLimits.types
        else { return false }
        index = .empty
        states.removeAll(keeping: SessionLimits.records)
        shapes.forgetPredictions()
        for position in 0..<min(mostOpenLevels, encoders.count) {
            let encoder = ValueEncoder(replacing: encoders[position])
            encoder.level.letGo()
            encoders[position] = encoder
            stack[position] = OpenLevel(encoder)
        }
        mostOpenLevels = 0
        for holder in holders { holder.letGo() }
        holders = []
        options = RecordEncoder()
        return Self.pool.put(self)
    }

    /// Ends the session: the levels hold it.
    private func dismantle() {
        stack.removeAll(keeping: 0)
        // From the end: each level holds the one that it stands in.
        while encoders.popLast() != nil {}
    }
}

/// Holds values of a call that is still going on.
protocol ValueHolder {
    func letGo()
}

// MARK: Levels

extension EncodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    ///
    /// - Returns: The level. The session holds it until it is closed.
    @inline(__always)
    func open(
        shape: Unmanaged<ShapeNode>? = nil, record: Int = -1, _ facts: Unmanaged<RecordFacts>? = nil
    ) throws -> OpenLevel {
        var outerDepth = openLevels > 0 ? stack[openLevels - 1].depth : 0
        if nestedParent != nil { outerDepth = nestedParent.map(\.depth) ?? 0 }
        if outerDepth >= options.maximumDepth { throw fail(depthError()) }
        if openLevels == stack.count { addLevel() }
        let opened = stack[openLevels]
        opened.level._withUnsafeGuaranteedRef { level in
            if nestedParent != nil || level.hasOtherParent { setParent(of: level) }
            level.reopen(depth: outerDepth + 1, shape: shape, record: record, facts)
        }
        openLevels += 1
        if openLevels > mostOpenLevels { mostOpenLevels = openLevels }
        return opened
    }

    @inline(never)
    private func depthError() -> any Error {
        let place = levelOfNextValue.map { $0.place(of: $0.currentKey) } ?? RecordPlace()
        return RecordError.depthLimitExceeded(options.maximumDepth, place: place)
    }

    @inline(never)
    private func setParent(of level: EncodingLevel) {
        level.parent = levelOfNextValue
        level.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addLevel() {
        let encoder = makeEncoder()
        encoders.append(encoder)
        stack.append(OpenLevel(encoder))
    }

    private func makeEncoder() -> ValueEncoder {
        let level = EncodingLevel(session: self)
        if openLevels > 0 { level.parent = stack[openLevels - 1].level.takeUnretainedValue() }
        return ValueEncoder(level: level)
    }

    /// Closes the innermost level.
    ///
    /// If somebody keeps its encoder or a container, it is left to them.
    @inline(__always)
    func close() {
        openLevels -= 1
        if !isKnownUniquelyReferenced(&encoders[openLevels])
            || !stack[openLevels].encoder._withUnsafeGuaranteedRef({ $0.isReusable })
        {
            closeHeldLevel()
        }
    }

    @inline(never)
    private func closeHeldLevel() {
        let level = encoders[openLevels].level
        // Left over where the value ended with an error.
        if !level.children.isEmpty { level.closeDescendants() }
        if isKnownUniquelyReferenced(&encoders[openLevels]), encoders[openLevels].isReusable { return }
        mayBeHeld = true
        level.outlive()
        level.close()
        let encoder = makeEncoder()
        encoders[openLevels] = encoder
        stack[openLevels] = OpenLevel(encoder)
        if openLevels + 1 < stack.count {
            stack[openLevels + 1].level.takeUnretainedValue().hasOtherParent = true
        }
    }

    /// The level in which the next value stands.
    @inline(__always)
    var levelOfNextValue: EncodingLevel? {
        nestedParent ?? (openLevels > 0 ? stack[openLevels - 1].level.takeUnretainedValue() : nil)
    }

    /// Gives an error its place, at the innermost level that it passes.
    ///
    /// An error that ends a record is kept: the record would be missing if a type went on without it.
    func placed(_ error: any Error, _ level: EncodingLevel, _ value: Any) -> any Error {
        if let failure { return failure }
        let isRecord = level.recordPosition >= 0
        let placed: any Error
        switch error {
        case let error as RecordError where error.hasPlace:
            placed = error
        case is EncodingConflict, is CancellationError:
            placed = error
        case EncodingError.invalidValue(let value, let context) where isRecord:
            let suffix = level.place(ofErrorAt: context.codingPath).recordSuffix
            let context = EncodingError.Context(
                codingPath: context.codingPath,
                debugDescription: context.debugDescription.hasSuffix(suffix)
                    ? context.debugDescription : context.debugDescription + suffix,
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
