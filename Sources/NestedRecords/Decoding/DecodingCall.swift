/// One attempt to decode from the records that are there.
final class DecodingCall: UncheckedObject<DecodingCall.State>, CodingCall {
    let naming: FieldNaming

    /// The keys that fields belong to, where values are flattened.
    let fieldKeys: FieldKeyResolver
    let recursion = DeepRecursion()

    struct State: ~Copyable {
        let options: RecordCoding
        fileprivate let records: ContiguousArray<Record>
        fileprivate let index: RecordIndex
        fileprivate let planner: FetchPlanner?

        fileprivate var stack = FrameStack<ValueDecoder.Coder>()
        fileprivate var typeDecoders = TypeMap<AnyTypeDecoder>()
        var visits: RecordVisits
        var ownerCount: Int32 = 0

        /// The error that was noted last.
        fileprivate var thrown: ThrownError?

        /// The references that were left out because their records are missing.
        fileprivate var dropped: [DanglingReference] = []
        fileprivate var droppedSteps: Set<DroppedStep> = []

        /// Whether the call has returned: user code may still use a decoder, but nothing waits for further values.
        fileprivate var isOver = false

        /// Whether user code may hold a frame.
        fileprivate var isHeld = false

        fileprivate init(
            _ options: RecordCoding = DecodingCall.noOptions, _ records: ContiguousArray<Record> = [],
            _ index: RecordIndex = .empty, _ planner: FetchPlanner? = nil
        ) {
            self.options = options
            self.records = records
            self.index = index
            self.planner = planner
            visits = RecordVisits(count: records.count)
        }
    }

    /// The decoder of a call that has ended: to make one each time takes longer.
    private static let noOptions = RecordCoding()

    private init(_ naming: FieldNaming) {
        self.naming = naming
        fieldKeys = FieldKeyResolver(naming)
        super.init(State())
    }

    /// The records that are there.
    var records: ContiguousArray<Record> { state.records }

    /// What plans further fetches and learns which fields need them; nil where nothing can be fetched.
    var planner: FetchPlanner? { state.planner }
    var userInfo: [CodingUserInfoKey: any Sendable] { state.options.userInfo }
    var recordTypes: RecordTypeRegistry { state.options.recordTypes }
    var maximumDepth: Int { state.options.maximumDepth }
    var isLenient: Bool { state.options.scalarStrategy == .lenient }
    var unwrapsSingleValues: Bool { state.options.unwrapsSingleValues }

    func recordID(at position: Int) -> Record.ID? { position < 0 ? nil : records[position].id }

    /// Whether references whose records are missing may be left out.
    var omitsDangling: Bool { state.options.danglingReferencePolicy == .omit }

    private static let pool = CallPool<DecodingCall>()

    /// Runs one attempt to decode.
    ///
    /// - Parameters:
    ///   - options: The decoder.
    ///   - records: The records that are there, with their index.
    ///   - index: The positions of the records.
    ///   - planner: What plans further fetches.
    ///   - body: Decodes, in a frame that contains the roots.
    static func run<Result>(
        options: RecordCoding, records: ContiguousArray<Record>, index: RecordIndex, planner: FetchPlanner? = nil,
        _ body: (DecodingCall) throws -> Result
    ) throws -> Result {
        let naming = options.fieldNaming
        let call = (naming.isPlain ? pool.take() : nil) ?? DecodingCall(naming)
        call.begin(State(options, records, index, planner))
        defer { call.end() }
        do {
            let result = try body(call)
            for decoder in call.state.typeDecoders.opened { try decoder.with { try $0.finish(records) } }
            return result
        } catch {
            throw call.placed(error)
        }
    }

    private func begin(_ fresh: consuming State) {
        swap(&state.stack, &fresh.stack)
        swap(&state.typeDecoders, &fresh.typeDecoders)
        state = fresh
    }

    /// Ends the call: frames that wait for further values hold it.
    private func end() {
        if naming.isPlain, !state.isHeld, state.stack.reset() {
            // Moved out first: what is released may make a call.
            var released = State()
            swap(&state, &released)
            swap(&state.stack, &released.stack)
            released.typeDecoders.reset { $0.reset() }
            swap(&state.typeDecoders, &released.typeDecoders)
            Self.pool.put(self)
        } else {
            // User code may still use what it holds.
            state.isOver = true
            state.thrown = nil
            while state.stack.removeUnused() != nil {}
        }
    }

    func decode<Root: RecordDecodable>(_ type: Root.Type, roots: [Record.ID]) throws -> [Root] {
        let outermost = DecodingFrame(self)
        return try roots.map { try decode(type, root: $0, in: outermost) }
    }

    func decode<Root: RecordDecodable>(
        _ type: Root.Type, root: Record.ID, in outermost: DecodingFrame? = nil
    ) throws -> Root {
        let outermost = outermost ?? DecodingFrame(self)
        return try StoredValue.with(.reference(Record.Reference(to: root))) { try decode(type, $0, in: outermost) }
    }

    /// The references that were left out because their records are missing.
    var dropped: [DanglingReference] { state.dropped }

    /// Whether a type decoded the record at a position, or tried to.
    func isReached(_ position: Int) -> Bool { state.visits.isReached(position) }
}

// MARK: Values

extension DecodingCall {
    /// Decodes a value in a frame: the function for all values but scalars in containers, elements of lists and optionals.
    @inline(__always)
    func decode<Value: Decodable>(
        _ type: Value.Type, _ field: StoredValue, isSpread: Bool = false, in frame: DecodingFrame
    ) throws -> Value {
        if type != Value.self { return try decode(subclass: actualType(type), field, isSpread, in: frame) }
        return try typeDecoder(of: type).with(as: TypeDecoder<Value>.self) {
            try $0.decode(field, isSpread: isSpread, in: frame)
        }
    }

    /// Decodes an instance of a subclass: what user code passes for a class may be the metatype of a subclass.
    private func decode<Value: Decodable>(
        subclass type: any Decodable.Type, _ field: StoredValue, _ isSpread: Bool, in frame: DecodingFrame
    ) throws -> Value {
        if let value = try decode(type, field, isSpread: isSpread, in: frame) as? Value { return value }
        throw frame.mismatch(Value.self, field.value, frame.currentKey)
    }

    /// Decodes a value that may be left out: nil where its record is missing and the options allow that.
    @inline(__always)
    func decodeUnlessDangling<Value: Decodable>(
        _ type: Value.Type, _ field: StoredValue, in frame: DecodingFrame
    ) throws -> Value? {
        try typeDecoder(of: type).with(as: TypeDecoder<Value>.self) { decoder in
            if omitsDangling, decoder.followsReferences, drops(field.value, in: frame) { return nil }
            return try decoder.decode(field, isSpread: false, in: frame)
        }
    }

    /// How a type is decoded.
    ///
    /// The call holds the decoder.
    @inline(__always)
    func typeDecoder<Value: Decodable>(of _: Value.Type) -> Borrowed<AnyTypeDecoder> {
        state.typeDecoders.find(Value.self) ?? addTypeDecoder(of: Value.self)
    }

    private func addTypeDecoder<Value: Decodable>(of type: Value.Type) -> Borrowed<AnyTypeDecoder> {
        let decoder =
            state.typeDecoders.known(type) ?? state.typeDecoders.add(makeTypeDecoder(for: type), for: type)
        _ = state.typeDecoders.open(decoder)
        return decoder
    }
}

// MARK: Frames

extension DecodingCall {
    /// Has a type read a frame.
    ///
    /// - Parameters:
    ///   - source: Where the value comes from.
    ///   - parent: The frame that contains it.
    ///   - role: What the value is of a record.
    ///   - tables: Where the fields of the type's keys are. Whoever decodes the type holds it.
    ///   - prepare: Prepares the frame.
    ///   - check: Checks the value.
    @inline(__always)
    func decodeContents<Value: Decodable>(
        _ source: DecodingFrame.Source, in parent: DecodingFrame, _ role: RecordRole = .value,
        _ tables: Borrowed<SlotTables>? = nil, prepare: (DecodingFrame) -> Void,
        check: (Value, DecodingFrame) throws -> Void = { _, _ in }
    ) throws -> Value {
        let coder = try open(in: parent)
        defer { close() }
        return try coder.with { coder in
            let frame = coder.frame
            frame.begin(in: parent, source, role, tables)
            prepare(frame)
            let isRecord = if case .record = role { true } else { false }
            let value: Value
            do {
                value = try recursion.run(atDepth: state.stack.count) { try Value(from: ValueDecoder(coder: coder)) }
            } catch {
                throw noted(error, frame, leavesRecord: isRecord)
            }
            try check(value, frame)
            return value
        }
    }

    /// Opens a frame for a collection, which reads its elements itself.
    @inline(__always)
    func withFrame<Result>(
        _ value: Record.Value, in parent: DecodingFrame, _ body: (DecodingFrame) throws -> Result
    ) throws -> Result {
        let coder = try open(in: parent)
        defer { close() }
        return try coder.with { coder in
            coder.frame.begin(in: parent, .value(value))
            return try recursion.run(atDepth: state.stack.count, isList: true) { try body(coder.frame) }
        }
    }

    /// Opens a frame.
    ///
    /// The stack holds it until it is closed.
    @inline(__always)
    private func open(in parent: DecodingFrame) throws -> Borrowed<ValueDecoder.Coder> {
        if parent.state.depth >= maximumDepth { throw depthError(in: parent) }
        return state.stack.open { ValueDecoder.Coder(frame: DecodingFrame(self)) }
    }

    /// The error for a value that is nested too deeply in a frame.
    func depthError(in parent: DecodingFrame) -> any Error {
        RecordError.depthLimitExceeded(maximumDepth, context: parent.placeOfNextValue)
    }

    /// Closes the innermost frame.
    @inline(__always)
    private func close() {
        if !state.stack.close() || state.isOver { abandonClosedFrame() }
    }

    /// Leaves the frame that was closed last to whoever holds it.
    private func abandonClosedFrame() {
        state.isHeld = true
        state.stack.closed.frame.detach()
        while state.stack.removeUnused() != nil {}
    }
}

// MARK: References

extension DecodingCall {
    /// The record at a position, which stays where it is.
    @inline(__always)
    func storedRecord(at position: Int) -> ElementInPlace<Record> { ElementsInPlace(state.records)[position] }

    /// The position of the record with this ID, whose type is that of the information unless that leaves it open.
    @inline(__always)
    func position(of id: Record.ID, _ info: RecordTypeInfo) -> Int? {
        if info.isDynamic || id.type != info.type { return state.index.position(of: id, in: state.records) }
        return state.index.find(RecordIndex.hash(ofType: info.typeHash, name: id.name)) { position in
            let found = storedRecord(at: position)
            return found.value.id.name.hasSameBytes(as: id.name) && found.value.id.type == id.type
        }
    }

    func position(of id: Record.ID) -> Int? { state.index.position(of: id, in: state.records) }

    /// Whether a value points to a missing record and the options say to leave it out; if so, that is noted.
    func drops(_ value: Record.Value, in frame: DecodingFrame) -> Bool {
        guard case .reference(let reference) = value, isMissing(reference.id) else { return false }
        let place = frame.placeOfNextValue
        // A struct that occurs twice is decoded twice.
        if state.droppedSteps.insert(DroppedStep(target: reference.id, step: place.chain.last)).inserted {
            state.dropped.append(DanglingReference(target: reference.id, context: place))
        }
        return true
    }

    /// Whether a record is not there, and need not be asked for.
    private func isMissing(_ id: Record.ID) -> Bool {
        (planner?.wasRequested(id) ?? true) && state.index.position(of: id, in: state.records) == nil
    }

    /// The error for a reference whose record is not there, or not yet.
    func missing(_ reference: Record.Reference, in frame: DecodingFrame) -> any Error {
        if frame.state.depth == 0 { return RecordError.recordNotFound(reference.id) }
        let place = frame.placeOfNextValue
        guard let planner, !planner.wasRequested(reference.id) else {
            return RecordError.danglingReference(to: reference.id, context: place)
        }
        // What cannot be decoded need not be fetched: a database may have no end.
        guard frame.state.depth < maximumDepth else {
            return RecordError.depthLimitExceeded(maximumDepth, context: place)
        }
        planner.want(reference, at: place, field: frame.recordField(of: frame.currentKey))
        return UnfetchedRecord()
    }

    /// Reports to the planner which fields of a record a type has keys for.
    func learnKeys<Key: CodingKey>(_: Key.Type, _ recordType: RecordTypeUse, _ frame: DecodingFrame) {
        recordType.note(Key.self, naming)
        let type = planner == nil ? nil : frame.recordID?.type
        // A type that decodes records of several types is asked for each of them.
        if type == nil || type == recordType.info.type { recordType.seenKeys = ObjectIdentifier(Key.self) }
        guard let type else { return }
        if frame.hasData(as: Key.self) { return learnAllFields(of: frame.recordID) }
        let info = recordType.info
        planner?.learn(
            KeyTest(Key.self, ignored: info.ignored, formerNames: info.schema.formerNames, naming), of: type)
    }

    /// Decodes a value whose references are read as such, and reports to the planner that they are not followed.
    func decodeUnfollowed<Scalar: FieldScalar>(_ value: Record.Value, in frame: DecodingFrame) throws -> Scalar {
        let isElement = if case .listElement = frame.state.current { true } else { false }
        // Only where it is the whole field, or an element of it: other types may follow what is next to it.
        if let planner, value.mayHoldReferences, !frame.isReadAsAWhole,
            let owner = isElement ? frame.state.parent : frame, owner.recordID != nil || owner.isFlat,
            let (type, field) = frame.recordField(of: frame.currentKey)
        {
            planner.learnUnfollowed(field, of: type)
        }
        if let scalar = Scalar.read(value) { return scalar }
        throw frame.mismatch(Scalar.self, value, frame.currentKey)
    }

    /// Reports to the planner that a type may read every field of its record.
    func learnAllFields(of id: Record.ID?) {
        guard let planner, let type = id?.type else { return }
        planner.learn(KeyTest(keyType: ObjectIdentifier(Record.self), ignored: []) { _ in true }, of: type)
    }

    /// Reports to the planner that a type reads a field of its record.
    func learn(_ field: String, of id: Record.ID?) {
        guard let planner, let type = id?.type else { return }
        planner.learn(field, of: type, includingLinks: false)
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

extension DecodingFrame {
    /// A value of another kind, where the options allow to read it as the type.
    ///
    /// - Parameters:
    ///   - value: What is there.
    ///   - key: The key of the value in this frame.
    func readLeniently<Scalar: FieldScalar>(_ value: Record.Value, _ key: (any CodingKey)?) throws -> Scalar {
        if call.isLenient, let scalar = Scalar.readLeniently(value) { return scalar }
        if let scalar = Scalar.readDateForm(value, isWhole: key == nil) { return scalar }
        // Only where the value is read as a whole: a reference in a field is no scalar.
        var found = value
        if key == nil, let other = try content(of: value) {
            if let scalar = Scalar.read(other) { return scalar }
            found = other
        }
        if case .string = found, let form = Scalar.textForm {
            var reason = ""
            found.appendExcerpt(to: &reason)
            reason += " is not a \(form)"
            let context = DecodingError.Context(codingPath: codingPath(to: key), debugDescription: reason)
            throw call.noted(DecodingError.dataCorrupted(context), self)
        }
        throw mismatch(Scalar.self, value, key)
    }

    /// The error for a value of the wrong kind.
    ///
    /// - Parameters:
    ///   - type: The expected type.
    ///   - value: What is there.
    ///   - key: The key of the value in this frame.
    func mismatch(_ type: Any.Type, _ value: Record.Value, _ key: (any CodingKey)?) -> any Error {
        // Types catch such errors to try something else: a string that grows would take a quarter longer.
        var reason = ""
        reason.reserveCapacity(96)
        reason += Self.expectation(of: type)
        reason += value.kind
        value.appendExcerpt(to: &reason, after: ": ")
        let context = DecodingError.Context(codingPath: codingPath(to: key), debugDescription: reason)
        let isNull = if case .null = value { true } else { false }
        let error = isNull ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
        return call.noted(error, self)
    }

    private static let expectations = TypeCache<String>()

    /// The beginning of an error for a value that is not of a type; making it takes as long as all else about the error.
    private static func expectation(of type: Any.Type) -> String {
        expectations.info(of: type) { "\(type) was expected, found " }
    }
}

extension DecodingCall {
    /// Notes where an error was met first, and its place when it leaves its record.
    ///
    /// Types catch errors to try something else, so the place is looked for only then. An error that is thrown again
    /// somewhere else, as the same object, is a new one.
    func noted(_ error: any Error, _ frame: DecodingFrame, leavesRecord: Bool = false) -> any Error {
        // Where values are flattened, only the frame itself knows its field.
        let hasPlace = leavesRecord || naming.separator != nil
        // Such an error has a path of its own.
        if state.isOver || !hasPlace && error is DecodingError { return error }
        let known = state.thrown.flatMap { $0.isSame(as: error) && frame.leads(to: $0.codingPath) ? $0 : nil }
        if let known, known.place != nil || !hasPlace { return error }
        let path = known?.codingPath ?? Self.path(of: error) ?? frame.pathOfNextValue
        state.thrown = ThrownError(
            thrownError: error, codingPath: path, place: hasPlace ? frame.place(ofErrorAt: path) : nil)
        return error
    }

    /// The path that an error tells itself.
    private static func path(of error: any Error) -> [any CodingKey]? {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.codingPath
        case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
        default: nil
        }
    }

    /// The error of the call, with its place.
    func placed(_ error: any Error) -> any Error {
        guard let thrown = state.thrown, thrown.isSame(as: error) else { return error }
        func placed(_ context: DecodingError.Context) -> DecodingError.Context {
            DecodingError.Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription + thrown.suffix,
                underlyingError: context.underlyingError)
        }
        switch error {
        case is UnfetchedRecord, is CancellationError: return error
        case let error as RecordError where error.hasContext: return error
        case DecodingError.typeMismatch(let type, let context): return DecodingError.typeMismatch(type, placed(context))
        case DecodingError.valueNotFound(let type, let context):
            return DecodingError.valueNotFound(type, placed(context))
        case DecodingError.keyNotFound(let key, let context): return DecodingError.keyNotFound(key, placed(context))
        case DecodingError.dataCorrupted(let context): return DecodingError.dataCorrupted(placed(context))
        default:
            let context = DecodingError.Context(
                codingPath: thrown.codingPath, debugDescription: "decoding failed: \(error)",
                underlyingError: error)
            return DecodingError.dataCorrupted(placed(context))
        }
    }
}

extension String {
    /// The string on a single line.
    fileprivate var escapingControls: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension Record.Value {
    /// Appends the beginning of a number's or string's content, for errors.
    fileprivate func appendExcerpt(to text: inout String, after separator: String = "") {
        switch self {
        case .int(let value): text += separator + "\(value)"
        case .double(let value): text += separator + "\(value)"
        case .string(let value):
            text += separator
            text += "'"
            // Counting bytes is much faster than counting scalars. A character may have any number of these.
            let isLong = value.utf8.count > 40 && value.unicodeScalars.count > 40
            let excerpt = isLong ? String(value.unicodeScalars.prefix(40)) : value
            text += excerpt.utf8.contains { $0 < 0x20 } ? excerpt.escapingControls : excerpt
            text += isLong ? "…'" : "'"
        case .null, .bool, .date, .bytes, .location, .reference, .list, .map, .serverTimestamp: break
        }
    }
}
