/// The state of one attempt to decode from the records that are there, and what is known from those before it about
/// Swift types.
final class DecodingSession {
    @exclusivity(unchecked) private(set) var options: RecordDecoder
    @exclusivity(unchecked) private(set) var records: ContiguousArray<Record> = []
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
    @exclusivity(unchecked) var visits: ContiguousArray<RecordVisit> = []

    /// For each record the class instance that was made of it, from the first record of a class on.
    @exclusivity(unchecked) var instances: ContiguousArray<AnyObject?> = []

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeDecoders = TypeCache<AnyTypeDecoder>()
    @exclusivity(unchecked) private var slotTables = SlotTables()
    @exclusivity(unchecked) private var lastDecoderNumber: Int32 = 0

    /// The open levels, and behind them some that were used before and wait for the next value.
    @exclusivity(unchecked) private var levels: ContiguousArray<DecodingLevel> = []

    /// For each level its decoder.
    ///
    /// One that is in use belongs to who opened it, so that it can be told whether somebody else keeps it.
    @exclusivity(unchecked) private var decoders: ContiguousArray<ValueDecoder?> = []

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

    func decode<Root: RecordDecodable>(_: Root.Type, roots: [Record.ID]) throws -> [Root] {
        let decoder = decoder(of: Root.self)
        return try roots.map { try decoder.decode(.reference(Record.Reference(to: $0)), in: self) }
    }

    /// How a type is decoded: the funnel through which every value goes.
    @inline(__always)
    func decoder<Value: Decodable>(of type: Value.Type) -> TypeDecoder<Value> {
        let decoder = typeDecoders.facts(about: Value.self) { makeTypeDecoder(for: Value.self) }
        return unsafeDowncast(decoder, to: TypeDecoder<Value>.self)
    }

    func slotTable<Key: CodingKey>(for type: Key.Type, _ facts: RecordFacts?, _ names: [String]) -> SlotTable? {
        slotTables.table(for: type, facts, names)
    }

    /// A number for each type of records.
    func makeDecoderNumber(isClass: Bool) -> Int32 {
        if isClass, instances.isEmpty { instances = ContiguousArray(repeating: nil, count: records.count) }
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
        visits.append(contentsOf: repeatElement(RecordVisit(), count: records.count))
        attempt += 1
    }

    /// Waits for another attempt, without anything that belongs to this one.
    ///
    /// - Returns: Whether the session waits now; if not it is of no more use.
    private func rest() -> Bool {
        guard !mayBeHeld, openLevels == 0, levels.count <= SessionLimits.levels,
            typeDecoders.count <= SessionLimits.types, slotTables.count <= SessionLimits.slotTables
        else { return false }
        options = RecordDecoder()
        let isSmall = records.count <= SessionLimits.records
        records = []
        index = .empty
        learner = nil
        visits.removeAll(keepingCapacity: isSmall)
        instances.removeAll(keepingCapacity: isSmall)
        lastDecoderNumber = 0
        for level in levels.prefix(mostOpenLevels) { level.letGo() }
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
        levels.removeAll()
        decoders.removeAll()
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
    @inline(__always)
    func open(
        _ source: DecodingLevel.Source, record: Int = -1, _ facts: RecordFacts? = nil
    ) throws -> ValueDecoder {
        let parent = innermostLevel
        if parent?.depth ?? 0 >= options.maximumDepth { throw depthError() }
        let decoder = takeDecoder()
        decoder.level.reopen(in: parent, source, record: record, facts)
        if nestedParent != nil { nestedParent = nil }
        openLevels += 1
        if openLevels > mostOpenLevels { mostOpenLevels = openLevels }
        return decoder
    }

    private func depthError() -> any Error {
        dependedDepth = 0
        return RecordError.depthLimitExceeded(options.maximumDepth, place: placeOfNextValue)
    }

    @inline(__always)
    private func takeDecoder() -> ValueDecoder {
        var decoder: ValueDecoder?
        if openLevels < decoders.count { swap(&decoder, &decoders[openLevels]) }
        return decoder ?? makeDecoder()
    }

    @inline(never)
    private func makeDecoder() -> ValueDecoder {
        let level = DecodingLevel(session: self)
        if openLevels < levels.count {
            levels[openLevels] = level
        } else {
            levels.append(level)
            decoders.append(nil)
        }
        return ValueDecoder(level: level)
    }

    /// Closes the innermost level.
    ///
    /// - Parameter decoder: The level's decoder. If somebody else keeps it or a container, it is left to them.
    @inline(__always)
    func close(_ decoder: inout ValueDecoder) {
        openLevels -= 1
        let areChildrenFree = decoder.level.finish()
        if !areChildrenFree || !isKnownUniquelyReferenced(&decoder) || !decoder.isContainerFree {
            mayBeHeld = true
            decoder.level.outlive()
        } else if !isOver {
            decoders[openLevels] = decoder
        }
        if isOver {
            levels.removeLast()
            decoders.removeLast()
        }
    }

    /// The depth of the level that is an open record.
    func depth(ofRecord position: Int) -> Int {
        levels[..<openLevels].last { $0.recordPosition == position }?.depth ?? 0
    }

    /// The level in which the next value stands.
    @inline(__always)
    var innermostLevel: DecodingLevel? {
        nestedParent ?? (openLevels > 0 ? levels[openLevels - 1] : nil)
    }
}
