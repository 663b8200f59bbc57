#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

final class EncodingCall: UncheckedObject<EncodingCall.State>, CodingCall {
    let naming: FieldNaming
    let flattening: Flattening?
    let recursion = DeepRecursion()

    struct State: ~Copyable {
        fileprivate var stack = FrameStack<ValueEncoder.Coder>()
        fileprivate(set) var table = RecordTable()
        fileprivate var typeEncoders = TypeMap<AnyTypeEncoder>()
        fileprivate var options: RecordCoding
        var isHeld = false

        fileprivate init(_ options: RecordCoding) { self.options = options }

        /// If keys are renamed: for each type of keys, the key that each field belongs to.
        fileprivate var claimedNames: [ObjectIdentifier: [String: String]] = [:]

        /// The first error that must fail the call, even if a type ignores errors or if the protocol offers no way to
        /// throw.
        fileprivate var failure: (any Error)?

        fileprivate var thrown: (error: ThrownError, value: Any)?
        fileprivate var conflictID: Record.ID?
        fileprivate var conflictPath: [any CodingKey]?

        /// The position of the current root among several.
        fileprivate var rootIndex: Int?

        /// The number of values whose identity occurred before, and of those that are being compared with their
        /// records.
        var repetitionCount = 0
        var openRepetitionCount = 0

        /// The number of records at the start of the innermost link whose target is being encoded.
        fileprivate var countBeforeLink = 0

        /// The Swift types that state no record type.
        ///
        /// A list that keeps its memory: with a dictionary, a call with ten records takes 4 % more instructions.
        fileprivate var modelsWithOwnName = GrowingList<(model: Any.Type, info: RecordTypeInfo)>()

        fileprivate var claims: RecordTypeClaims?
    }

    private init(_ options: RecordCoding, _ naming: FieldNaming) {
        self.naming = naming
        flattening = naming.separator.map { Flattening(naming, separator: $0) }
        super.init(State(options))
    }

    var userInfo: [CodingUserInfoKey: any Sendable] { state.options.userInfo }
    var maximumDepth: Int { state.options.maximumDepth }

    private static let pool = CallPool<EncodingCall>()

    /// The encoder of a finished call: making one each time takes longer.
    private static let noOptions = RecordCoding()

    private static let mostKeptModels = 256

    /// Begins a call; ``end()`` must follow.
    static func begin(_ options: RecordCoding) -> EncodingCall {
        let naming = FieldNaming(options.keyStrategy, options.embeddingStrategy)
        guard naming.isPlain, let call = pool.take() else { return EncodingCall(options, naming) }
        call.state.options = options
        return call
    }

    static func encode<Root: Encodable>(
        roots: [Root], _ options: RecordCoding, claims: RecordTypeClaims? = nil
    ) throws -> RecordGraph {
        try encode(options, claims) { call, frame in
            // Without `map`, which allocates memory for each element of a type that is unknown here.
            var ids: [Record.ID] = []
            for root in roots {
                if roots.count > 1 { call.state.rootIndex = ids.count }
                ids.append(try call.encode(root: root, in: frame))
            }
            return ids
        }
    }

    static func encode<Root: Encodable>(
        root: Root, _ options: RecordCoding, claims: RecordTypeClaims?, noting models: inout RecordModels
    ) throws -> RecordGraph {
        try encode(options, claims) { call, frame in
            let id = try call.encode(root: root, in: frame)
            for encoder in call.state.typeEncoders.opened { encoder.with { $0.note(in: &models) } }
            return [id]
        }
    }

    static func encode(
        roots: [any RecordEncodable], _ options: RecordCoding, claims: RecordTypeClaims? = nil
    ) throws -> RecordGraph {
        try encode(options, claims) { call, frame in
            try roots.enumerated().map { index, root in
                if roots.count > 1 { call.state.rootIndex = index }
                return try call.encode(root: root, in: frame)
            }
        }
    }

    private static func encode(
        _ options: RecordCoding, _ claims: RecordTypeClaims?,
        _ encodeRoots: (EncodingCall, EncodingFrame) throws -> [Record.ID]
    ) throws -> RecordGraph {
        let call = EncodingCall.begin(options)
        defer { call.end() }
        call.state.claims = claims
        do {
            let ids = try encodeRoots(call, EncodingFrame(call))
            try call.finish()
            return call.state.table.takeGraph(roots: ids)
        } catch let conflict as EncodingConflict {
            throw RecordError.conflict(
                conflict.id, field: conflict.field, first: firstPath(of: conflict.id, options, encodeRoots),
                second: conflict.path)
        } catch {
            throw call.placed(error)
        }
    }

    static func encode<Value: Encodable>(
        field value: Value, _ options: RecordCoding, named name: String? = nil, of id: Record.ID? = nil
    ) throws -> Record.Value {
        let call = EncodingCall.begin(options)
        defer { call.end() }
        let frame = EncodingFrame(call)
        if let id {
            let position = call.state.table.append(id, RecordIndex.hash(of: id), instance: nil)
            frame.begin(in: EncodingFrame(call), .record(at: position, nil))
        }
        if let name { frame.enter(PathKey(stringValue: name)) }
        do {
            let count = call.recordCount
            let encoded = try call.encode(value, in: frame).stored
            try call.finish()
            if call.state.table.keptCount == count { return encoded }
            let reason = "the value becomes a record, which a field cannot contain"
            throw EncodingError.invalidValue(value, .init(codingPath: frame.codingPath, debugDescription: reason))
        } catch {
            throw call.placed(call.noted(error, frame, value))
        }
    }

    /// The path at which an identity occurs first.
    ///
    /// Found by encoding again, so that a call without a conflict has no extra cost.
    private static func firstPath(
        of id: Record.ID, _ options: RecordCoding,
        _ encodeRoots: (EncodingCall, EncodingFrame) throws -> [Record.ID]
    ) -> [any CodingKey] {
        let call = EncodingCall.begin(options)
        defer { call.end() }
        call.state.conflictID = id
        _ = try? encodeRoots(call, EncodingFrame(call))
        return call.state.conflictPath ?? []
    }

    private func encode<Root: Encodable>(root: Root, in outermost: EncodingFrame) throws -> Record.ID {
        if case .value(.reference(let reference)) = try encode(root, in: outermost) { return reference.id }
        let context = EncodingError.Context(codingPath: [], debugDescription: "the root was not encoded as a record")
        throw EncodingError.invalidValue(root, context)
    }

    func finish() throws {
        if let failure { throw failure }
        for encoder in state.typeEncoders.opened { try encoder.with { try $0.finish(in: self) } }
    }

    /// Releases the state of the call.
    ///
    /// Everything is moved out first: releasing it may use a part that user code has kept.
    func end() {
        var released = State(Self.noOptions)
        swap(&state, &released)
        state.failure = released.failure
        if naming.isPlain, !released.isHeld, released.stack.reset() {
            swap(&state.stack, &released.stack)
            state.table.reuseMemory(of: &released.table)
            released.typeEncoders.reset { $0.reset() }
            swap(&state.typeEncoders, &released.typeEncoders)
            released.modelsWithOwnName.removeAll(keeping: Self.mostKeptModels)
            swap(&state.modelsWithOwnName, &released.modelsWithOwnName)
            state.failure = nil
            Self.pool.put(self)
        } else {
            state.options = released.options
            while released.stack.removeUnused() != nil {}
        }
    }
}

// MARK: Values

extension EncodingCall {
    @inline(__always)
    func encode<Value: Encodable>(_ value: Value, in frame: EncodingFrame) throws -> EncodedValue {
        try typeEncoder(of: Value.self).with(as: TypeEncoder<Value>.self) { try $0.encode(value, in: frame) }
    }

    @inline(__always)
    func typeEncoder<Value: Encodable>(of type: Value.Type) -> Borrowed<AnyTypeEncoder> {
        state.typeEncoders.find(type) ?? addTypeEncoder(of: type)
    }

    private func addTypeEncoder<Value: Encodable>(of type: Value.Type) -> Borrowed<AnyTypeEncoder> {
        let encoder =
            state.typeEncoders.known(type)
            ?? state.typeEncoders.add(makeTypeEncoder(for: type), for: type)
        if state.typeEncoders.open(encoder) { encoder.with { $0.begin(in: self) } }
        return encoder
    }

    func checkNames(of use: RecordTypeUse) throws {
        try use.checkNames((0..<recordCount).lazy.map { self.state.table.records[$0] }, keys: state.claimedNames)
    }

    var failure: (any Error)? { state.failure }

    @discardableResult
    func fail(_ error: any Error) -> any Error {
        if let failure = state.failure { return failure }
        state.failure = error
        return error
    }

    func owner<Key: CodingKey>(of name: String, claimedFor key: Key) -> String? {
        let keyType = ObjectIdentifier(Key.self)
        let owner = state.claimedNames[keyType]?[name]
        if owner == nil {
            let key = key.stringValue
            state.claimedNames[keyType, default: [:]][name] = key
        }
        return owner
    }
}

// MARK: Frames

extension EncodingCall {
    @inline(__always)
    func encodeContents<Value: Encodable, Result>(
        of value: Value, in parent: EncodingFrame, _ orders: FieldOrders, _ role: RecordRole = .value,
        prepare: (EncodingFrame) -> Void, take: (EncodingFrame) -> Result
    ) throws -> Result {
        let coder = try open(in: parent)
        defer { close() }
        return try coder.with { coder in
            let frame = coder.frame
            frame.begin(in: parent, role, orders.current)
            try checkNesting(of: frame, in: parent)
            prepare(frame)
            do {
                try recursion.run(atDepth: state.stack.count) { try value.encode(to: ValueEncoder(coder: coder)) }
            } catch {
                throw noted(error, frame, value)
            }
            if let failure { throw failure }
            if !frame.own.fields.isPredicted { frame.own.fields.teach(orders) }
            return take(frame)
        }
    }

    /// Opens a frame for a collection, which writes its elements itself.
    @inline(__always)
    func withFrame<Result>(
        in parent: EncodingFrame, _ kind: EncodingFrame.Content, _ body: (EncodingFrame) throws -> Result
    ) throws -> Result {
        let coder = try open(in: parent)
        defer { close() }
        return try coder.with { coder in
            let frame = coder.frame
            frame.begin(in: parent, .value)
            try checkNesting(of: frame, in: parent)
            _ = frame.become(kind)
            return try recursion.run(atDepth: state.stack.count, isList: true) { try body(frame) }
        }
    }

    /// Opens a frame.
    ///
    /// The stack holds it until it is closed.
    @inline(__always)
    private func open(in parent: EncodingFrame) throws -> Borrowed<ValueEncoder.Coder> {
        if parent.state.depth >= maximumDepth { throw depthError(maximumDepth, in: parent) }
        return state.stack.open { ValueEncoder.Coder(frame: EncodingFrame(self)) }
    }

    private func depthError(_ limit: Int, in parent: EncodingFrame) -> any Error {
        fail(RecordError.depthLimitExceeded(limit, context: parent.placeOfNextValue))
    }

    /// Whether values take too much stack to release, whatever depth the encoder allows.
    @inline(__always)
    private func checkNesting(of frame: EncodingFrame, in parent: EncodingFrame) throws {
        if frame.isNestedTooDeeply { throw depthError(Record.Value.maximumNesting, in: parent) }
    }

    @inline(__always)
    private func close() {
        if !state.stack.close() { abandonClosedFrame() }
    }

    private func abandonClosedFrame() {
        state.isHeld = true
        let frame = state.stack.closed.frame
        frame.detach()
        frame.close()
        while state.stack.removeUnused() != nil {}
    }
}

// MARK: Identities

extension EncodingCall {
    var recordCount: Int { state.table.count }

    var mark: RecordTable.Mark {
        @inline(__always) get { state.table.mark }
    }

    func discard(from mark: RecordTable.Mark) { state.table.discard(from: mark) }

    /// The ID of the record at a position; nil after the call, for frames that user code has kept.
    func recordID(at position: Int) -> Record.ID? {
        position >= 0 && position < recordCount ? state.table.records[position].id : nil
    }

    @inline(__always)
    func reserve(
        _ value: some RecordEncodable, _ info: RecordTypeInfo, in frame: EncodingFrame
    ) throws -> (position: Int, isNew: Bool) {
        let name = value.recordName
        let type = info.recordType(of: value)
        let typeHash = info.isDynamic ? RecordIndex.hash(ofType: type) : info.typeHash
        let (hash, isPlain) = name.foldPlainBytes(into: typeHash)
        if let found = state.table.position(ofType: type, name: name, hash) { return (found, false) }
        if !isPlain || info.isSuspicious {
            if let fault = info.schemaFault { throw fail(fault) }
            if name.isEmpty, let reserved = try reserveNameless(value, type, typeHash, info, in: frame) {
                return reserved
            }
            if let reason = info.fault(of: type) ?? Record.ID.validationError(forName: name) {
                throw invalidID(type, name, reason, in: frame)
            }
        }
        return (append(value, type, name, hash, info, in: frame), true)
    }

    @inline(__always)
    private func append(
        _ value: some RecordEncodable, _ type: consuming String, _ name: consuming String, _ hash: UInt64,
        _ info: RecordTypeInfo, in frame: EncodingFrame
    ) -> Int {
        let id = Record.ID(checkedType: type, name: name)
        let position = state.table.append(id, hash, instance: info.isClass ? instance(value) : nil)
        if let conflictID = state.conflictID, conflictID == recordID(at: position) {
            state.conflictPath = rootPath + frame.pathOfNextValue
        }
        return position
    }

    /// Generates a name for a value whose property with ``RecordName`` is nil; an instance keeps its name within a
    /// call.
    ///
    /// - Returns: The record's position, and whether it is new; nil if the value does not get a generated name.
    /// - Throws: `RecordError.Code.invalidID` if the value has no name and cannot get one.
    private func reserveNameless(
        _ value: some RecordEncodable, _ type: String, _ typeHash: UInt64, _ info: RecordTypeInfo,
        in frame: EncodingFrame
    ) throws -> (position: Int, isNew: Bool)? {
        guard let property = value.recordNameProperty else {
            let reason = "'recordName' is empty, and no property is marked with @RecordName"
            throw invalidID(type, "", reason, in: frame)
        }
        guard property.recordName == nil else { return nil }
        let object = info.isClass ? instance(value) : nil
        if let known = object.flatMap({ state.table.positionWithMadeName(of: $0) }) { return (known, false) }
        if let reason = info.fault(of: type) { throw invalidID(type, "", reason, in: frame) }
        let name = UUID().uuidString
        let position = append(value, type, name, name.foldPlainBytes(into: typeHash).hash, info, in: frame)
        state.table.noteMadeName(position, of: object)
        return (position, true)
    }

    func encode<Target: RecordEncodable>(targetOfLink target: Target, in frame: EncodingFrame) throws -> EncodedValue {
        let before = state.countBeforeLink
        state.countBeforeLink = state.table.count
        defer { state.countBeforeLink = before }
        return try encode(target, in: frame)
    }

    /// The error for a value that contains itself, as a record that is not complete yet; nil if that is allowed.
    func cycle(to position: Int, in frame: EncodingFrame) -> RecordError? {
        guard !state.table.isComplete(position), position >= state.countBeforeLink,
            !state.options.allowsReferenceCycles
        else { return nil }
        return .referenceCycle(to: state.table.records[position].id, at: frame.placeOfNextValue)
    }

    /// Fails the call if two types have one record type because neither states its own: types of this call, or a type
    /// that was saved in the same database before.
    func checkRecordType(of model: Any.Type, _ info: RecordTypeInfo) {
        guard info.hasOwnNameAsType else { return }
        var other: Any.Type?
        for position in 0..<state.modelsWithOwnName.count {
            let known = state.modelsWithOwnName[position]
            if known.info.typeHash == info.typeHash, known.model != model, known.info.type == info.type {
                other = known.model
                break
            }
        }
        if let other = other ?? state.claims?.claim(info.type, for: model) {
            fail(RecordError.ambiguousRecordType(info.type, first: other, second: model))
        }
        state.modelsWithOwnName.append((model, info))
    }

    func invalidID(_ type: String, _ name: String, _ reason: String, in frame: EncodingFrame) -> any Error {
        fail(RecordError.invalidID(type: type, name: name, reason: reason, context: frame.placeOfNextValue))
    }

    @inline(__always)
    func complete(_ position: Int, with fields: consuming Record.Fields) throws {
        state.table.complete(position, with: fields)
        if state.table.hasPending { try comparePending(position) }
    }

    private func comparePending(_ position: Int) throws {
        for copy in state.table.takePending(position) {
            try compare(position, with: copy.fields, at: copy.path)
            // It is equal to the record that contains it, through an object that is not a record.
            if let cycle = copy.cycle { throw fail(cycle) }
        }
    }

    func compare(_ position: Int, with fields: Record.Fields, in frame: EncodingFrame) throws {
        if state.table.isComplete(position) {
            if state.table.records[position].fields == fields { return }
            try compare(position, with: fields, at: frame.pathOfNextValue)
        } else {
            state.table.notePending(
                position, fields, at: frame.pathOfNextValue, cycle: cycle(to: position, in: frame))
        }
    }

    private func compare(_ position: Int, with fields: Record.Fields, at path: [any CodingKey]) throws {
        guard let field = state.table.records[position].fields.firstDifference(from: fields) else { return }
        throw fail(EncodingConflict(id: state.table.records[position].id, field: field, path: rootPath + path))
    }

    private var rootPath: [any CodingKey] { state.rootIndex.map { [PathKey(index: $0)] } ?? [] }

    /// Stores the metadata that a value contains for its record.
    ///
    /// Values with one identity and equal fields may omit the metadata, but must not contain different metadata.
    func note(_ metadata: Record.Metadata, ofRecord position: Int, in frame: EncodingFrame) throws {
        guard !state.table.note(metadata, of: position), let id = recordID(at: position) else { return }
        throw fail(EncodingConflict(id: id, field: "metadata", path: rootPath + frame.codingPath))
    }
}

// MARK: Errors

extension EncodingCall {
    func noted(_ error: any Error, _ frame: EncodingFrame, _ value: Any) -> any Error {
        if let failure { return failure }
        if state.thrown?.error.isSame(as: error) ?? false { return error }
        let place: RecordContext
        if case EncodingError.invalidValue(_, let context) = error {
            place = frame.place(ofErrorAt: context.codingPath)
        } else {
            place = frame.placeOfNextValue
        }
        state.thrown = (ThrownError(thrownError: error, codingPath: place.codingPath, place: place), value)
        return error
    }

    func placed(_ error: any Error) -> any Error {
        guard let (thrown, value) = state.thrown, thrown.isSame(as: error) else { return error }
        switch error {
        case is EncodingConflict, is CancellationError: return error
        case let error as RecordError where error.hasContext: return error
        case EncodingError.invalidValue(let value, let context):
            let context = EncodingError.Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription + thrown.suffix,
                underlyingError: context.underlyingError)
            return EncodingError.invalidValue(value, context)
        default:
            let context = EncodingError.Context(
                codingPath: thrown.codingPath,
                debugDescription: "encoding failed: \(error)\(thrown.suffix)", underlyingError: error)
            return EncodingError.invalidValue(value, context)
        }
    }
}

/// Two different values with one ID, before the coding path of the first value is available.
struct EncodingConflict: Error {
    let id: Record.ID
    let field: String
    let path: [any CodingKey]
}

final class RecordTypeClaims: Sendable {
    private let models = Lock<[String: any Any.Type]>([:])

    /// Claims a record type for a type; returns the previous owner if it is a different type.
    func claim(_ recordType: String, for model: any Any.Type) -> (any Any.Type)? {
        models.withLock { models in
            let known = models[recordType]
            if known == nil { models[recordType] = model }
            return known == model ? nil : known
        }
    }
}

extension RecordCoding {
    func encode(fieldValue value: some Encodable) throws -> Record.Value {
        if let scalar = value as? any FieldScalar { return scalar.fieldValue }
        var coding = self
        // The value is read from a single field.
        coding.embeddingStrategy = .map
        return try EncodingCall.encode(field: value, coding)
    }
}
