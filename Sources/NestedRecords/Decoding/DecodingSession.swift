/// The state of one attempt to decode from the records that are there, and what is known from those before it about
/// Swift types.
final class DecodingSession {
    @exclusivity(unchecked) var options: RecordDecoder
    @exclusivity(unchecked) var records: ContiguousArray<Record> = [] {
        didSet { firstRecord = records.withUnsafeBufferPointer { $0.baseAddress } }
    }

    /// The address of the first record; the records do not change during an attempt.
    @exclusivity(unchecked) private var firstRecord: UnsafePointer<Record>?
    @exclusivity(unchecked) var index = RecordIndex.empty

    /// What plans further fetches and learns which fields need them; nil where nothing can be fetched.
    @exclusivity(unchecked) var planner: FetchPlanner?

    /// The number of the attempt, by which the decoders of types know that a new one has begun.
    @exclusivity(unchecked) var attempt = 0

    /// Whether embedded values may be spread over the fields of their record.
    let flattens: Bool

    /// The keys that fields belong to, where values are flattened.
    @exclusivity(unchecked) var fieldKeys: FieldKeyResolver

    /// Whether the value that is decoded next is made of such fields.
    @exclusivity(unchecked) var isNextFlat = false

    /// Whether references whose records are missing may be left out.
    @exclusivity(unchecked) var omitsDangling = false

    /// How far each record is.
    @exclusivity(unchecked) var visits = GrowingList<RecordVisit>()

    /// For each record the class instance that was made of it, from the first record of a class on.
    @exclusivity(unchecked) var instances = GrowingList<AnyObject?>()

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeDecoders = TypeCache<AnyTypeDecoder>()
    @exclusivity(unchecked) var slotTables = SlotTables()
    @exclusivity(unchecked) var lastDecoderNumber: Int32 = 0

    /// The lists of properties whose names are not all known to be coding keys, with the typeInfo of their types.
    @exclusivity(unchecked) private var uncheckedTypes: [RecordTypeInfo] = []

    /// The open levels, and behind them some that were used before and wait for the next value.
    ///
    /// Each is there as its decoder, which user code must not keep once its value is complete.
    @exclusivity(unchecked) var decoders = GrowingList<ValueDecoder>()

    /// The same levels without being held.
    @exclusivity(unchecked) var stack = GrowingList<OpenDecodingFrame>()

    /// Whether the call has returned: user code may still use a decoder, but nothing is kept for reuse.
    var isOver = false

    /// The number of open levels, and the largest one of this attempt.
    @exclusivity(unchecked) var openFrames = 0
    @exclusivity(unchecked) var mostOpenFrames = 0

    /// Whether user code may hold a decoder or a container.
    @exclusivity(unchecked) var mayBeHeld = false

    /// The decoders of types that hold values of this attempt.
    @exclusivity(unchecked) var holders: [any CallScoped] = []

    /// The nested container or super decoder that is about to decode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: DecodingFrame?

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
        fieldKeys = FieldKeyResolver(options.fieldNaming)
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
        let decoder = typeDecoders.typeInfo(about: Value.self) { makeTypeDecoder(for: Value.self) }
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

// MARK: Lists of properties

extension DecodingSession {
    /// Makes the values of ignored properties ready, and has the names in a type's lists checked when the attempt ends.
    func checkPropertyNames(of typeInfo: RecordTypeInfo) throws {
        if let fault = typeInfo.listFault { throw fault }
        try typeInfo.prepareDefaults { [options] in try options.encode(fieldValue: $0) }
        if !typeInfo.names.areKnown { uncheckedTypes.append(typeInfo) }
    }

    /// Ends an attempt that has decoded everything.
    func checkPropertyNames() throws {
        for typeInfo in uncheckedTypes where typeInfo.names.mayBeFaulty {
            if let fault = typeInfo.names.fault(fields: typeInfo.fieldNames(in: records)) { throw fault }
        }
        uncheckedTypes = []
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

// MARK: Attempts

extension DecodingSession {
    private static let pool = SessionPool<DecodingSession>()

    /// Runs one attempt to decode.
    ///
    /// - Parameters:
    ///   - records: The records that are there, with their index.
    ///   - planner: What plans further fetches.
    ///   - body: Decodes, and takes what it needs from the session: afterwards it belongs to another attempt.
    static func run<Result>(
        options: RecordDecoder, records: ContiguousArray<Record>, index: RecordIndex, planner: FetchPlanner? = nil,
        _ body: (DecodingSession) throws -> Result
    ) throws -> Result {
        // What is known about types depends on these.
        let mayWait = !options.keyStrategy.renames && options.embeddingStrategy == .map
        let session = (mayWait ? pool.take() : nil) ?? DecodingSession(options: options)
        session.begin(options, records, index, planner)
        var hasEnded = false
        defer { if !mayWait || !hasEnded || !session.recycle() { session.invalidate() } }
        let result = try body(session)
        try session.checkPropertyNames()
        hasEnded = true
        return result
    }

    private func begin(
        _ options: RecordDecoder, _ records: ContiguousArray<Record>, _ index: RecordIndex, _ planner: FetchPlanner?
    ) {
        self.options = options
        self.records = records
        self.index = index
        self.planner = planner
        omitsDangling = options.danglingReferencePolicy == .omit
        visits.append(RecordVisit(), count: records.count)
        attempt += 1
    }

    /// Waits for another attempt, without anything that belongs to this one.
    ///
    /// - Returns: Whether the session waits now; if not it is of no more use.
    private func recycle() -> Bool {
        guard !mayBeHeld, openFrames == 0, stack.count <= SessionLimits.levels,
            typeDecoders.count <= SessionLimits.types, slotTables.count <= SessionLimits.slotTables
        else { return false }
        replaceDecoders()
        options = RecordDecoder()
        records = []
        index = .empty
        planner = nil
        visits.removeAll(keeping: SessionLimits.records)
        instances.removeAll(keeping: SessionLimits.records)
        slotTables.forgetPositions()
        lastDecoderNumber = 0
        for position in 0..<min(mostOpenFrames, decoders.count) { decoders[position].frame.reset() }
        mostOpenFrames = 0
        for holder in holders { holder.reset() }
        holders = []
        placedDescriptions = []
        dependedDepth = .max
        droppedSteps = []
        dropped = []
        return Self.pool.put(self)
    }

    /// Makes the decoders anew that this attempt has used.
    ///
    /// Before anything is released: the `deinit` of a user's object may know them by a weak reference.
    private func replaceDecoders() {
        for position in 0..<min(mostOpenFrames, decoders.count) {
            let decoder = ValueDecoder(replacing: decoders[position])
            decoders[position] = decoder
            stack[position] = OpenDecodingFrame(decoder)
        }
    }

    /// Ends the session: the levels hold it.
    private func invalidate() {
        isOver = true
        stack.removeAll(keeping: 0)
        // From the end: each frame holds its parent.
        while decoders.popLast() != nil {}
    }
}

// MARK: Frames

extension DecodingSession {
    /// Opens a frame for a value nested in the innermost open one.
    ///
    /// - Returns: The frame. The session holds it until it is closed.
    @inline(__always)
    func open(
        _ source: DecodingFrame.Source, record: Int = -1, _ typeInfo: Unmanaged<RecordTypeInfo>? = nil
    ) throws -> OpenDecodingFrame {
        let depth = depthOfNextValue
        if depth > options.maximumDepth { throw depthError() }
        if openFrames == stack.count { addFrame() }
        let opened = stack[openFrames]
        opened.frame._withUnsafeGuaranteedRef { frame in
            if nestedParent != nil || frame.hasOtherParent { setParent(of: frame) }
            frame.reopen(depth: depth, source, record: record, typeInfo)
        }
        openFrames += 1
        if openFrames > mostOpenFrames { mostOpenFrames = openFrames }
        return opened
    }

    /// The depth that the frame of the next value would have.
    @inline(__always)
    var depthOfNextValue: Int {
        if nestedParent != nil { return (nestedParent?.depth ?? 0) + 1 }
        return openFrames > 0 ? stack[openFrames - 1].depth + 1 : 1
    }

    @inline(never)
    private func depthError() -> any Error {
        dependedDepth = 0
        return RecordError.depthLimitExceeded(options.maximumDepth, context: placeOfNextValue)
    }

    @inline(never)
    private func setParent(of frame: DecodingFrame) {
        frame.parent = innermostFrame
        frame.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addFrame() {
        let decoder = makeDecoder()
        decoders.append(decoder)
        stack.append(OpenDecodingFrame(decoder))
    }

    private func makeDecoder() -> ValueDecoder {
        let frame = DecodingFrame(session: self)
        if openFrames > 0 { frame.parent = stack[openFrames - 1].frame.takeUnretainedValue() }
        return ValueDecoder(frame: frame)
    }

    /// Closes the innermost frame.
    ///
    /// If user code holds its decoder or a container, a new frame takes its place on the stack.
    @inline(__always)
    func close() {
        openFrames -= 1
        let areChildrenFree = stack[openFrames].frame._withUnsafeGuaranteedRef { $0.finish() }
        if !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openFrames])
            || !stack[openFrames].decoder._withUnsafeGuaranteedRef({ $0.isContainerFree })
            || isOver
        {
            closeHeldFrame(areChildrenFree)
        }
    }

    @inline(never)
    private func closeHeldFrame(_ areChildrenFree: Bool) {
        let isHeld =
            !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openFrames])
            || !decoders[openFrames].isContainerFree
        if isHeld {
            mayBeHeld = true
            decoders[openFrames].frame.detach()
        }
        if isOver {
            _ = stack.popLast()
            _ = decoders.popLast()
        } else {
            let decoder = makeDecoder()
            decoders[openFrames] = decoder
            stack[openFrames] = OpenDecodingFrame(decoder)
            if openFrames + 1 < stack.count {
                stack[openFrames + 1].frame.takeUnretainedValue().hasOtherParent = true
            }
        }
    }

    /// The depth of the frame that is an open record.
    func depth(ofRecord position: Int) -> Int {
        for frame in (0..<openFrames).reversed() {
            let frame = stack[frame].frame.takeUnretainedValue()
            if frame.recordPosition == position { return frame.depth }
        }
        return 0
    }

    /// The frame that contains the next value.
    @inline(__always)
    var innermostFrame: DecodingFrame? {
        nestedParent ?? (openFrames > 0 ? stack[openFrames - 1].frame.takeUnretainedValue() : nil)
    }
}

/// A frame and its decoder, which the session holds as long as the frame is open.
struct OpenDecodingFrame {
    let decoder: Unmanaged<ValueDecoder>
    let frame: Unmanaged<DecodingFrame>

    init(_ decoder: ValueDecoder) {
        self.decoder = Unmanaged.passUnretained(decoder)
        frame = Unmanaged.passUnretained(decoder.frame)
    }

    @inline(__always)
    var depth: Int { frame._withUnsafeGuaranteedRef { $0.depth } }
}

// MARK: References

extension DecodingSession {
    /// The position of the record with this ID, whose type is that of the typeInfo unless they leave it open.
    @inline(__always)
    func position(of id: Record.ID, _ typeInfo: RecordTypeInfo) -> Int? {
        if typeInfo.isDynamic || id.type != typeInfo.type { return index.position(of: id, in: records) }
        return index.find(RecordIndex.hash(ofType: typeInfo.typeHash, name: id.name)) { position in
            let found = record(at: position)
            return found.pointee.id.name.hasSameBytes(as: id.name) && found.pointee.id.type == id.type
        }
    }

    /// Whether a value points to a missing record and the options say to leave it out; if so, that is noted.
    func drops(_ value: Record.Value) -> Bool {
        guard case .reference(let reference) = value,
            planner?.wasRequested(reference.id) ?? true,
            index.position(of: reference.id, in: records) == nil
        else { return false }
        let place = placeOfNextValue
        // A struct that occurs twice is decoded twice.
        if droppedSteps.insert(DroppedStep(target: reference.id, step: place.chain.last)).inserted {
            dropped.append(DanglingReference(target: reference.id, context: place))
        }
        return true
    }

    /// The error for a reference whose record is not there, or not yet.
    func missing(_ reference: Record.Reference) -> any Error {
        guard let frame = innermostFrame else { return RecordError.recordNotFound(reference.id) }
        let place = frame.place(of: frame.currentKey)
        guard let planner, !planner.wasRequested(reference.id) else {
            return RecordError.danglingReference(to: reference.id, context: place)
        }
        // What cannot be decoded need not be fetched: a database may have no end.
        guard frame.depth < options.maximumDepth else {
            dependedDepth = 0
            return RecordError.depthLimitExceeded(options.maximumDepth, context: place)
        }
        planner.want(reference, at: place, field: frame.recordField(of: frame.currentKey))
        return UnfetchedRecord()
    }

    /// Reports to the planner which fields of a record a type has keys for.
    func learnKeys<Key: CodingKey>(_: Key.Type, _ typeInfo: RecordTypeInfo, _ frame: DecodingFrame) {
        typeInfo.names.note(Key.self, options.fieldNaming)
        guard let planner, let type = frame.recordID?.type else {
            typeInfo.seenKeys = ObjectIdentifier(Key.self)
            return
        }
        // A type that decodes records of several types is asked for each of them.
        if type == typeInfo.type { typeInfo.seenKeys = ObjectIdentifier(Key.self) }
        if frame.hasData(as: Key.self) { return learnAllFields(of: frame.recordID) }
        let naming = options.fieldNaming
        let ignored = typeInfo.ignored
        planner.learn(
            KeyTest(keyType: ObjectIdentifier(Key.self), ignored: ignored) { field in
                guard let key = naming.key(Key.self, forField: field) else { return false }
                return !ignored.contains(key.stringValue)
            }, of: type)
    }

    /// Decodes a value whose references are read as such, and reports to the planner that they are not followed.
    func decodeUnfollowed<Scalar: FieldScalar>(_ value: Record.Value) throws -> Scalar {
        // Only where it is the whole field, or an element of it: other types may follow what is next to it.
        if let planner, value.mayHoldReferences, let frame = innermostFrame, !frame.isReadAsAWhole,
            let owner = frame.isList ? frame.parent : frame, owner.recordID != nil || owner.isFlat,
            let (type, field) = frame.recordField(of: frame.currentKey)
        {
            planner.learnUnfollowed(field, of: type)
        }
        if let scalar = Scalar.read(value) { return scalar }
        throw mismatch(Scalar.self, value)
    }

    /// Reports to the planner that a type may read every field of its record.
    func learnAllFields(of id: Record.ID?) {
        guard let planner, let type = id?.type else { return }
        planner.learn(KeyTest(keyType: ObjectIdentifier(Record.self), ignored: []) { _ in true }, of: type)
    }

    /// Reports to the planner that a type reads a field of its record.
    func learn(_ field: String, of id: Record.ID?, includingLinks: Bool) {
        guard let planner, let type = id?.type else { return }
        planner.learn(field, of: type, includingLinks: includingLinks)
    }

    var placeOfNextValue: RecordContext {
        innermostFrame.map { $0.place(of: $0.currentKey) } ?? RecordContext()
    }
}

/// What identifies a dropped reference.
struct DroppedStep: Hashable {
    let target: Record.ID
    let step: RecordContext.Step?
}

/// Ends an attempt to decode at a record that has not been fetched yet.
struct UnfetchedRecord: Error {}

// MARK: Errors

extension DecodingSession {
    /// A value of another kind, where the options allow to read it as the type.
    ///
    /// - Parameters:
    ///   - value: What is there.
    ///   - frame: The frame where it is; nil if the value is in the innermost frame.
    ///   - key: The key of the value in the frame.
    @inline(never)
    func readLeniently<Scalar: FieldScalar>(
        _ value: Record.Value, in frame: DecodingFrame? = nil, _ key: (any CodingKey)? = nil
    ) throws -> Scalar {
        if options.scalarStrategy == .lenient, let scalar = Scalar.readLeniently(value) { return scalar }
        throw mismatch(Scalar.self, value, in: frame, key)
    }

    /// The error for a value of the wrong kind.
    ///
    /// - Parameters:
    ///   - type: The expected type.
    ///   - value: What is there.
    ///   - frame: The frame where it is; nil if the value is in the innermost frame.
    ///   - key: The key of the value in the frame.
    func mismatch(
        _ type: Any.Type, _ value: Record.Value, in frame: DecodingFrame? = nil, _ key: (any CodingKey)? = nil
    ) -> any Error {
        let key = frame == nil ? innermostFrame?.currentKey : key
        let frame = frame ?? innermostFrame
        let path = (frame?.codingPath ?? []) + (key.map { [$0] } ?? [])
        let error: DecodingError
        switch value {
        case .null:
            error = .valueNotFound(type, .init(codingPath: path, debugDescription: "\(type) was expected, found null"))
        case .int, .double, .string:
            let reason = "\(type) was expected, found \(value.kind): \(value.excerpt)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        case .bool, .date, .bytes, .location, .reference, .list, .map, .serverTimestamp:
            let reason = "\(type) was expected, found \(value.kind)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        }
        guard let frame else { return error }
        return placed(error, frame)
    }

    /// Gives an error its place, at the innermost frame that it passes.
    func placed(_ error: any Error, _ frame: DecodingFrame) -> any Error {
        switch error {
        case let error as RecordError where error.hasContext: return error
        case is UnfetchedRecord, is CancellationError: return error
        case DecodingError.typeMismatch(let type, let context):
            return DecodingError.typeMismatch(type, placed(context, frame))
        case DecodingError.valueNotFound(let type, let context):
            return DecodingError.valueNotFound(type, placed(context, frame))
        case DecodingError.keyNotFound(let key, let context):
            return DecodingError.keyNotFound(key, placed(context, frame, key))
        case DecodingError.dataCorrupted(let context):
            return DecodingError.dataCorrupted(placed(context, frame))
        default:
            let context = DecodingError.Context(
                codingPath: frame.place(of: frame.currentKey).codingPath, debugDescription: "decoding failed: \(error)",
                underlyingError: error)
            return DecodingError.dataCorrupted(placed(context, frame))
        }
    }

    private func placed(
        _ context: DecodingError.Context, _ frame: DecodingFrame, _ key: (any CodingKey)? = nil
    ) -> DecodingError.Context {
        // The levels further out meet it again; an error of theirs may come after one that a type passed over.
        if placedDescriptions.contains(context.debugDescription) { return context }
        let path = context.codingPath + (key.map { [$0] } ?? [])
        let description = context.debugDescription + frame.place(ofErrorAt: path).recordSuffix
        placedDescriptions.insert(description)
        return .init(
            codingPath: context.codingPath, debugDescription: description, underlyingError: context.underlyingError)
    }
}

extension Record.Value {
    /// The beginning of a number's or string's content, for errors.
    fileprivate var excerpt: String {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.count > 40 ? "'\(value.prefix(40))…'" : "'\(value)'"
        case .null, .bool, .date, .bytes, .location, .reference, .list, .map, .serverTimestamp: ""
        }
    }
}
