final class DecodingCall: UncheckedObject<DecodingCall.State>, CodingCall {
    let naming: FieldNaming
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

        /// Whether a value has read the metadata of its record.
        var readsMetadata = false
        fileprivate var thrown: ThrownError?
        fileprivate var dropped: [DanglingReference] = []
        fileprivate var droppedSteps: Set<DroppedStep> = []

        /// Whether the call has returned: user code may still use a decoder, but no frame waits for further values.
        fileprivate var isOver = false

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

    /// The decoder of a finished call: making one each time takes longer.
    private static let noOptions = RecordCoding()

    private init(_ naming: FieldNaming) {
        self.naming = naming
        fieldKeys = FieldKeyResolver(naming)
        super.init(State())
    }

    var records: ContiguousArray<Record> { state.records }

    var planner: FetchPlanner? { state.planner }
    var userInfo: [CodingUserInfoKey: any Sendable] { state.options.userInfo }
    var recordTypes: RecordTypeRegistry? { state.options.recordTypes }
    var maximumDepth: Int { state.options.maximumDepth }
    var isLenient: Bool { state.options.convertsScalars }
    var unwrapsSingleValues: Bool { state.options.unwrapsSingleValues }

    func recordID(at position: Int) -> Record.ID? { position < 0 ? nil : records[position].id }

    var omitsDangling: Bool { state.options.omitsDanglingReferences }

    private static let pool = CallPool<DecodingCall>()

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

    /// Ends the call, which frames that wait for further values hold.
    private func end() {
        if naming.isPlain, !state.isHeld, state.stack.reset() {
            // Moved out first: releasing the state may start another call.
            var released = State()
            swap(&state, &released)
            swap(&state.stack, &released.stack)
            released.typeDecoders.reset { $0.reset() }
            swap(&state.typeDecoders, &released.typeDecoders)
            Self.pool.put(self)
        } else {
            // User code may still use objects that the state holds.
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

    var dropped: [DanglingReference] { state.dropped }

    func isReached(_ position: Int) -> Bool { state.visits.isReached(position) }
}

// MARK: Values

extension DecodingCall {
    /// Decodes a value in a frame: used for all values except scalars in containers, elements of lists and optionals.
    @inline(__always)
    func decode<Value: Decodable>(
        _ type: Value.Type, _ field: StoredValue, isSpread: Bool = false, in frame: DecodingFrame
    ) throws -> Value {
        if type != Value.self { return try decode(subclass: actualType(type), field, isSpread, in: frame) }
        return try typeDecoder(of: type).with(as: TypeDecoder<Value>.self) {
            try $0.decode(field, isSpread: isSpread, in: frame)
        }
    }

    /// Decodes an instance of a subclass: user code may pass the metatype of a subclass as that of a class.
    private func decode<Value: Decodable>(
        subclass type: any Decodable.Type, _ field: StoredValue, _ isSpread: Bool, in frame: DecodingFrame
    ) throws -> Value {
        if let value = try decode(type, field, isSpread: isSpread, in: frame) as? Value { return value }
        throw frame.mismatch(Value.self, field.value, frame.currentKey)
    }

    @inline(__always)
    func decodeUnlessDangling<Value: Decodable>(
        _ type: Value.Type, _ field: StoredValue, in frame: DecodingFrame
    ) throws -> Value? {
        try typeDecoder(of: type).with(as: TypeDecoder<Value>.self) { decoder in
            if omitsDangling, decoder.followsReferences, drops(field.value, in: frame) { return nil }
            return try decoder.decode(field, isSpread: false, in: frame)
        }
    }

    /// The decoder of a type.
    ///
    /// The call holds it.
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

    func depthError(in parent: DecodingFrame) -> any Error {
        RecordError.depthLimitExceeded(maximumDepth, context: parent.placeOfNextValue)
    }

    @inline(__always)
    private func close() {
        if !state.stack.close() || state.isOver { abandonClosedFrame() }
    }

    private func abandonClosedFrame() {
        state.isHeld = true
        state.stack.closed.frame.detach()
        while state.stack.removeUnused() != nil {}
    }
}

// MARK: References

extension DecodingCall {
    @inline(__always)
    func storedRecord(at position: Int) -> ElementInPlace<Record> { ElementsInPlace(state.records)[position] }

    @inline(__always)
    func position(of id: Record.ID, _ info: RecordTypeInfo) -> Int? {
        if info.isDynamic || id.type != info.type { return state.index.position(of: id, in: state.records) }
        return state.index.find(RecordIndex.hash(ofType: info.typeHash, name: id.name)) { position in
            let found = storedRecord(at: position)
            return found.value.id.name.hasSameBytes(as: id.name) && found.value.id.type == id.type
        }
    }

    func position(of id: Record.ID) -> Int? { state.index.position(of: id, in: state.records) }

    /// Whether a value refers to a missing record and the options allow leaving it out; if so, notes the reference.
    func drops(_ value: Record.Value, in frame: DecodingFrame) -> Bool {
        guard case .reference(let reference) = value, isMissing(reference.id) else { return false }
        let place = frame.placeOfNextValue
        // A struct that occurs twice is decoded twice.
        if state.droppedSteps.insert(DroppedStep(target: reference.id, step: place.chain.last)).inserted {
            state.dropped.append(DanglingReference(target: reference.id, context: place))
        }
        return true
    }

    private func isMissing(_ id: Record.ID) -> Bool {
        (planner?.wasRequested(id) ?? true) && state.index.position(of: id, in: state.records) == nil
    }

    func missing(_ reference: Record.Reference, in frame: DecodingFrame) -> any Error {
        if frame.state.depth == 0 { return RecordError(.recordNotFound, recordID: reference.id) }
        let place = frame.placeOfNextValue
        guard let planner, !planner.wasRequested(reference.id) else {
            return RecordError(.danglingReference, recordID: reference.id, context: place)
        }
        // Records beyond the depth limit are not fetched: a database may have no end.
        guard frame.state.depth < maximumDepth else {
            return RecordError.depthLimitExceeded(maximumDepth, context: place)
        }
        planner.want(reference, at: place, field: frame.recordField(of: frame.currentKey))
        return UnfetchedRecord()
    }

    func learnKeys<Key: CodingKey>(_: Key.Type, _ recordType: RecordTypeUse, _ frame: DecodingFrame) {
        recordType.note(Key.self, naming)
        let type = planner == nil ? nil : frame.recordID?.type
        // A type that decodes records of several types is examined for each of them.
        if type == nil || type == recordType.info.type { recordType.seenKeys = ObjectIdentifier(Key.self) }
        guard let type else { return }
        if frame.hasData(as: Key.self) { return learnAllFields(of: frame.recordID) }
        let info = recordType.info
        planner?.learn(
            KeyTest(Key.self, ignored: info.ignored, formerNames: info.schema.formerNames, naming), of: type)
    }

    func decodeUnfollowed<Scalar: FieldScalar>(_ value: Record.Value, in frame: DecodingFrame) throws -> Scalar {
        let isElement = if case .listElement = frame.state.current { true } else { false }
        // Only if it is the whole field or an element of the field: other types may follow references in the rest of
        // the field.
        if let planner, value.mayHoldReferences, !frame.isReadAsAWhole,
            let owner = isElement ? frame.state.parent : frame, owner.recordID != nil || owner.isFlat,
            let (type, field) = frame.recordField(of: frame.currentKey)
        {
            planner.learnUnfollowed(field, of: type)
        }
        if let scalar = Scalar.read(value) { return scalar }
        throw frame.mismatch(Scalar.self, value, frame.currentKey)
    }

    func learnAllFields(of id: Record.ID?) {
        guard let planner, let type = id?.type else { return }
        planner.learn(KeyTest(keyType: ObjectIdentifier(Record.self), ignored: []) { _ in true }, of: type)
    }

    func learn(_ field: String, of id: Record.ID?) {
        guard let planner, let type = id?.type else { return }
        planner.learn(field, of: type, includingLinks: false)
    }
}

struct DroppedStep: Hashable {
    let target: Record.ID
    let step: RecordContext.Step?
}

struct UnfetchedRecord: Error {}

// MARK: Errors

extension DecodingFrame {
    func readLeniently<Scalar: FieldScalar>(_ value: Record.Value, _ key: (any CodingKey)?) throws -> Scalar {
        if call.isLenient, let scalar = Scalar.readLeniently(value) { return scalar }
        if let scalar = Scalar.readDateForm(value, isWhole: key == nil) { return scalar }
        // Only if the value is read as a whole: a reference in a field is not a scalar.
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

    func mismatch(_ type: Any.Type, _ value: Record.Value, _ key: (any CodingKey)?) -> any Error {
        // Types catch such errors to try another type: appending to a growing string would take a quarter longer.
        var reason = ""
        reason.reserveCapacity(96)
        reason += Self.expectation(of: type)
        reason += value.found
        value.appendExcerpt(to: &reason, after: ": ")
        let context = DecodingError.Context(codingPath: codingPath(to: key), debugDescription: reason)
        let isNull = value.kind == .null
        let error = isNull ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
        return call.noted(error, self)
    }

    private static let expectations = TypeCache<String>()

    /// The beginning of an error for a value of another type; making it takes as long as the rest of the error.
    private static func expectation(of type: Any.Type) -> String {
        expectations.info(of: type) { "\(type) was expected, found " }
    }
}

extension DecodingCall {
    /// Notes where an error first occurred, and its place when it leaves its record.
    ///
    /// Types catch errors to try another type, so the place is determined only then. An error object that is thrown
    /// again elsewhere counts as a new error.
    func noted(_ error: any Error, _ frame: DecodingFrame, leavesRecord: Bool = false) -> any Error {
        // If values are flattened, only the frame itself has the information about its field.
        let hasPlace = leavesRecord || naming.separator != nil
        // Such an error contains a path.
        if state.isOver || !hasPlace && error is DecodingError { return error }
        let known = state.thrown.flatMap { $0.isSame(as: error) && frame.leads(to: $0.codingPath) ? $0 : nil }
        if let known, known.place != nil || !hasPlace { return error }
        let path = known?.codingPath ?? Self.path(of: error) ?? frame.pathOfNextValue
        state.thrown = ThrownError(
            thrownError: error, codingPath: path, place: hasPlace ? frame.place(ofErrorAt: path) : nil)
        return error
    }

    private static func path(of error: any Error) -> [any CodingKey]? {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.codingPath
        case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
        default: nil
        }
    }

    /// The error with its place, and with the mark that it is about stored records.
    func placed(_ error: any Error) -> any Error {
        let thrown = state.thrown.flatMap { $0.isSame(as: error) ? $0 : nil }
        func placed(_ context: DecodingError.Context) -> DecodingError.Context {
            let place = thrown?.place ?? RecordContext(codingPath: context.codingPath)
            let cause = RecordError(
                .unreadableRecord, recordID: place.record, context: place, underlyingError: context.underlyingError)
            return DecodingError.Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription + (thrown?.suffix ?? ""),
                underlyingError: cause)
        }
        switch error {
        case is UnfetchedRecord, is CancellationError: return error
        case let error as RecordError where thrown == nil || error.hasContext: return error.ofStoredRecord
        case DecodingError.typeMismatch(let type, let context): return DecodingError.typeMismatch(type, placed(context))
        case DecodingError.valueNotFound(let type, let context):
            return DecodingError.valueNotFound(type, placed(context))
        case DecodingError.keyNotFound(let key, let context): return DecodingError.keyNotFound(key, placed(context))
        case DecodingError.dataCorrupted(let context): return DecodingError.dataCorrupted(placed(context))
        default:
            guard let thrown else { return error }
            let context = DecodingError.Context(
                codingPath: thrown.codingPath, debugDescription: "decoding failed: \(error)",
                underlyingError: error)
            return DecodingError.dataCorrupted(placed(context))
        }
    }
}

extension String {
    fileprivate var escapingControls: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }
}

extension Record.Value {
    fileprivate func appendExcerpt(to text: inout String, after separator: String = "") {
        if case .int(let value) = self { text += separator + "\(value)" }
        if case .double(let value) = self { text += separator + "\(value)" }
        // A number that no field holds exactly has an excerpt of its digits.
        guard case .string(let value) = numberDigits.map(Self.string) ?? self else { return }
        text += separator
        text += "'"
        // Counting bytes is much faster than counting scalars, which a character may have in any number.
        let isLong = value.utf8.count > 40 && value.unicodeScalars.count > 40
        let excerpt = isLong ? String(value.unicodeScalars.prefix(40)) : value
        text += excerpt.utf8.contains { $0 < 0x20 } ? excerpt.escapingControls : excerpt
        text += isLong ? "…'" : "'"
    }
}
