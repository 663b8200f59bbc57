/// The state of one attempt to decode from the records that are there, and what is known from those before it about
/// Swift types.
final class DecodingSession {
    @exclusivity(unchecked) private(set) var options: RecordDecoder
    @exclusivity(unchecked) private(set) var records: ContiguousArray<Record> = [] {
        didSet { firstRecord = records.withUnsafeBufferPointer { $0.baseAddress } }
    }

    /// Where the records stand: they do not change during an attempt.
    @exclusivity(unchecked) private var firstRecord: UnsafePointer<Record>?
    @exclusivity(unchecked) private(set) var index = RecordIndex.empty

    /// Who fetches what is missing and learns which fields lead there; nil when nothing can be fetched.
    @exclusivity(unchecked) private(set) var learner: ReferenceLearner?

    /// The number of the attempt, by which the decoders of types know that a new one has begun.
    @exclusivity(unchecked) private(set) var attempt = 0

    /// Whether embedded values may be spread over the fields of their record.
    let flattens: Bool

    /// The keys that fields belong to, where values are flattened.
    @exclusivity(unchecked) var fieldKeys: FieldOwners

    /// Whether the value that is decoded next is made of such fields.
    @exclusivity(unchecked) var isNextFlat = false

    /// Whether references whose records are missing may be left out.
    @exclusivity(unchecked) private(set) var omitsDangling = false

    /// How far each record is.
    @exclusivity(unchecked) var visits = GrowingList<RecordVisit>()

    /// For each record the class instance that was made of it, from the first record of a class on.
    @exclusivity(unchecked) var instances = GrowingList<AnyObject?>()

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeDecoders = TypeCache<AnyTypeDecoder>()
    @exclusivity(unchecked) private var slotTables = SlotTables()
    @exclusivity(unchecked) private var lastDecoderNumber: Int32 = 0

    /// The open levels, and behind them some that were used before and wait for the next value.
    ///
    /// Each is there as its decoder, which nobody else holds for longer than its value is open.
    @exclusivity(unchecked) private var decoders = GrowingList<ValueDecoder>()

    /// The same levels without being held.
    @exclusivity(unchecked) private var stack = GrowingList<OpenDecodingLevel>()

    /// Whether the call has returned: somebody may still use a decoder, but nothing is kept for later.
    private var isOver = false

    /// The number of open levels, and the largest one of this attempt.
    @exclusivity(unchecked) private(set) var openLevels = 0
    @exclusivity(unchecked) private var mostOpenLevels = 0

    /// Whether somebody outside may hold a decoder or a container.
    @exclusivity(unchecked) private var mayBeHeld = false

    /// The decoders of types that hold values of this attempt.
    @exclusivity(unchecked) var holders: [any ValueHolder] = []

    /// The nested container or super decoder that is about to decode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: DecodingLevel?

    /// The descriptions of the errors that were given their places.
    @exclusivity(unchecked) var placedDescriptions: Set<String> = []

    /// The depth of the outermost open record without which an error would not have come, if there was such an error.
    @exclusivity(unchecked) var dependedDepth = Int.max

    var droppedSteps: Set<DroppedStep> = []

    /// The references that were left out because their records are missing.
    var dropped: [DanglingReference] = []

    init(options: RecordDecoder) {
        self.options = options
        flattens = options.embeddingStrategy != .map
        fieldKeys = FieldOwners(options.fieldNaming)
    }

    func decode<Root: RecordDecodable>(_ type: Root.Type, roots: [Record.ID]) throws -> [Root] {
        try roots.map { try decode(type, root: $0) }
    }

    func decode<Root: RecordDecodable>(_: Root.Type, root: Record.ID) throws -> Root {
        try decoder(of: Root.self).decode(.reference(Record.Reference(to: root)), in: self)
    }

    /// How a type is decoded: the funnel through which every value goes.
    @inline(__always)
    func decoder<Value: Decodable>(of type: Value.Type) -> TypeDecoder<Value> {
        let decoder = typeDecoders.facts(about: Value.self) { makeTypeDecoder(for: Value.self) }
        return unsafeDowncast(decoder, to: TypeDecoder<Value>.self)
    }

    func slotTable(for origin: SlotOrigin, names: () -> FieldNames?) -> SlotTable? {
        slotTables.table(for: origin, names: names)
    }

    /// The record at a position, which stays where it is during an attempt.
    @inline(__always)
    func record(at position: Int) -> UnsafePointer<Record> {
        guard position >= 0, position < records.count, let firstRecord else {
            preconditionFailure("position out of range")
        }
        return firstRecord + position
    }

    /// A number for each type of records.
    func makeDecoderNumber(isClass: Bool) -> Int32 {
        if isClass, instances.isEmpty { instances.append(nil, count: records.count) }
        lastDecoderNumber += 1
        return lastDecoderNumber
    }
}

// MARK: Attempts

extension DecodingSession {
    private static let pool = SessionPool<DecodingSession>()

    /// Runs one attempt to decode.
    ///
    /// - Parameters:
    ///   - records: The records that are there, with their index.
    ///   - learner: Who fetches what is missing.
    ///   - body: Decodes, and takes what it needs from the session: afterwards it belongs to another attempt.
    static func run<Result>(
        options: RecordDecoder, records: ContiguousArray<Record>, index: RecordIndex, learner: ReferenceLearner? = nil,
        _ body: (DecodingSession) throws -> Result
    ) rethrows -> Result {
        // What is known about types depends on these.
        let mayWait = !options.keyStrategy.renames && options.embeddingStrategy == .map
        let session = (mayWait ? pool.take() : nil) ?? DecodingSession(options: options)
        session.begin(options, records, index, learner)
        var hasEnded = false
        defer { if !mayWait || !hasEnded || !session.rest() { session.dismantle() } }
        let result = try body(session)
        hasEnded = true
        return result
    }

    private func begin(
        _ options: RecordDecoder, _ records: ContiguousArray<Record>, _ index: RecordIndex, _ learner: ReferenceLearner?
    ) {
        self.options = options
        self.records = records
        self.index = index
        self.learner = learner
        omitsDangling = options.danglingReferences == .omit
        visits.append(RecordVisit(), count: records.count)
        attempt += 1
    }

    /// Waits for another attempt, without anything that belongs to this one.
    ///
    /// - Returns: Whether the session waits now; if not it is of no more use.
    private func rest() -> Bool {
        guard !mayBeHeld, openLevels == 0, stack.count <= SessionLimits.levels,
            typeDecoders.count <= SessionLimits.types, slotTables.count <= SessionLimits.slotTables
        else { return false }
        options = RecordDecoder()
        records = []
        index = .empty
        learner = nil
        visits.removeAll(keeping: SessionLimits.records)
        instances.removeAll(keeping: SessionLimits.records)
        slotTables.forgetPositions()
        lastDecoderNumber = 0
        for position in 0..<min(mostOpenLevels, decoders.count) {
            let decoder = ValueDecoder(replacing: decoders[position])
            decoder.level.letGo()
            decoders[position] = decoder
            stack[position] = OpenDecodingLevel(decoder)
        }
        mostOpenLevels = 0
        for holder in holders { holder.letGo() }
        holders = []
        placedDescriptions = []
        dependedDepth = .max
        droppedSteps = []
        dropped = []
        return Self.pool.put(self)
    }

    /// Ends the session: the levels hold it.
    private func dismantle() {
        isOver = true
        stack.removeAll(keeping: 0)
        // From the end: each level holds the one that it stands in.
        while decoders.popLast() != nil {}
    }
}

/// How far a record is, for the Swift type that it was first decoded as.
struct RecordVisit {
    /// The number of that type's decoder, 0 for none.
    var decoder: Int32 = 0
    var isOpen = false

    /// Whether decoding was tried and failed.
    var wasTried = false

    /// Whether a type decoded the record, or tried to.
    var isReached: Bool { decoder != 0 || wasTried }
}

// MARK: Levels

extension DecodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    ///
    /// - Returns: The level. The session holds it until it is closed.
    @inline(__always)
    func open(
        _ source: DecodingLevel.Source, record: Int = -1, _ facts: Unmanaged<RecordFacts>? = nil
    ) throws -> OpenDecodingLevel {
        let depth = depthOfNextValue
        if depth > options.maximumDepth { throw depthError() }
        if openLevels == stack.count { addLevel() }
        let opened = stack[openLevels]
        opened.level._withUnsafeGuaranteedRef { level in
            if nestedParent != nil || level.hasOtherParent { setParent(of: level) }
            level.reopen(depth: depth, source, record: record, facts)
        }
        openLevels += 1
        if openLevels > mostOpenLevels { mostOpenLevels = openLevels }
        return opened
    }

    /// How many levels there would be from the root to the next value, were it one.
    @inline(__always)
    var depthOfNextValue: Int {
        if nestedParent != nil { return (nestedParent?.depth ?? 0) + 1 }
        return openLevels > 0 ? stack[openLevels - 1].depth + 1 : 1
    }

    @inline(never)
    private func depthError() -> any Error {
        dependedDepth = 0
        return RecordError.depthLimitExceeded(options.maximumDepth, place: placeOfNextValue)
    }

    @inline(never)
    private func setParent(of level: DecodingLevel) {
        level.parent = innermostLevel
        level.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addLevel() {
        let decoder = makeDecoder()
        decoders.append(decoder)
        stack.append(OpenDecodingLevel(decoder))
    }

    private func makeDecoder() -> ValueDecoder {
        let level = DecodingLevel(session: self)
        if openLevels > 0 { level.parent = stack[openLevels - 1].level.takeUnretainedValue() }
        return ValueDecoder(level: level)
    }

    /// Closes the innermost level.
    ///
    /// If somebody keeps its decoder or a container, it is left to them.
    @inline(__always)
    func close() {
        openLevels -= 1
        let areChildrenFree = stack[openLevels].level._withUnsafeGuaranteedRef { $0.finish() }
        if !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openLevels])
            || !stack[openLevels].decoder._withUnsafeGuaranteedRef({ $0.isContainerFree })
            || isOver
        {
            closeHeldLevel(areChildrenFree)
        }
    }

    @inline(never)
    private func closeHeldLevel(_ areChildrenFree: Bool) {
        let isHeld =
            !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openLevels])
            || !decoders[openLevels].isContainerFree
        if isHeld {
            mayBeHeld = true
            decoders[openLevels].level.outlive()
        }
        if isOver {
            _ = stack.popLast()
            _ = decoders.popLast()
        } else {
            let decoder = makeDecoder()
            decoders[openLevels] = decoder
            stack[openLevels] = OpenDecodingLevel(decoder)
            if openLevels + 1 < stack.count {
                stack[openLevels + 1].level.takeUnretainedValue().hasOtherParent = true
            }
        }
    }

    /// The depth of the level that is an open record.
    func depth(ofRecord position: Int) -> Int {
        for level in (0..<openLevels).reversed() {
            let level = stack[level].level.takeUnretainedValue()
            if level.recordPosition == position { return level.depth }
        }
        return 0
    }

    /// The level in which the next value stands.
    @inline(__always)
    var innermostLevel: DecodingLevel? {
        nestedParent ?? (openLevels > 0 ? stack[openLevels - 1].level.takeUnretainedValue() : nil)
    }
}

/// A level and its decoder, which the session holds as long as the level is open.
struct OpenDecodingLevel {
    let decoder: Unmanaged<ValueDecoder>
    let level: Unmanaged<DecodingLevel>

    init(_ decoder: ValueDecoder) {
        self.decoder = Unmanaged.passUnretained(decoder)
        level = Unmanaged.passUnretained(decoder.level)
    }

    @inline(__always)
    var depth: Int { level._withUnsafeGuaranteedRef { $0.depth } }
}
