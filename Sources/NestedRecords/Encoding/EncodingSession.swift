#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of one call of the encoder, and what is known from those before it about Swift types.
final class EncodingSession {
    @exclusivity(unchecked) var options: RecordEncoder

    /// The number of the call, by which the encoders of types know that a new one has begun.
    @exclusivity(unchecked) var call = 0

    /// The records in the order in which they were met; their fields come when they are done.
    @exclusivity(unchecked) var records = GrowingList<Record>()

    /// What else is known of each record.
    @exclusivity(unchecked) var states = GrowingList<RecordState>()

    /// The positions of the records in the order in which they were done: targets before those that point to them.
    @exclusivity(unchecked) var order = GrowingList<Int32>()

    /// Copies to compare with a record that is not done.
    @exclusivity(unchecked) var pending: [Int: [(fields: Record.Fields, path: [any CodingKey])]] = [:]

    @exclusivity(unchecked) var madeNames = MadeNames()

    @exclusivity(unchecked) var index = RecordIndex.empty
    @exclusivity(unchecked) var shapes = ShapeTree()

    /// Where values are flattened: the names of records by themselves, the layouts whose fields are known to be distinguishable, and
    /// the keys that fields belong to.
    @exclusivity(unchecked) var knownNames: [[String]: FieldNames] = [:]
    @exclusivity(unchecked) var validatedLayouts: Set<FlatShape> = []
    @exclusivity(unchecked) var fieldKeys: FieldKeyResolver

    /// Where keys are renamed: for each type of keys the key that each field belongs to.
    @exclusivity(unchecked) var claimedNames: [ObjectIdentifier: [String: String]] = [:]

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeEncoders = TypeCache<AnyTypeEncoder>()

    /// The open levels, and behind them some that were used before and wait for the next value.
    ///
    /// Each is there as its encoder, which user code must not keep once its value is complete.
    @exclusivity(unchecked) var encoders = GrowingList<ValueEncoder>()

    /// The same levels without being held: counting references takes longer than all else that is done with them.
    @exclusivity(unchecked) var stack = GrowingList<OpenEncodingFrame>()

    /// The number of open levels, and the largest one of this call.
    @exclusivity(unchecked) var openFrames = 0
    @exclusivity(unchecked) var mostOpenFrames = 0

    /// Whether user code may hold an encoder or a container.
    @exclusivity(unchecked) var mayBeHeld = false

    /// The encoders of types that hold values of this call.
    @exclusivity(unchecked) var holders: [any CallScoped] = []

    /// The nested container or super encoder that is about to encode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: EncodingFrame?

    /// Whether embedded values are spread over the fields of their record.
    let flattens: Bool

    /// Whether types of keys are noted: for flattened values, or to check the names in lists of properties.
    @exclusivity(unchecked) var notesKeys: Bool

    /// The lists whose names are not all known to be coding keys, with the typeInfo of their types.
    @exclusivity(unchecked) private var uncheckedTypes: [RecordTypeInfo] = []

    /// What is to be done with the property that was encoded last.
    @exclusivity(unchecked) var outcome = EncodingOutcome.value

    /// The first thing that went wrong and must not be overlooked, even where a type ignores errors or where the
    /// protocol gives no way to throw.
    @exclusivity(unchecked) private(set) var failure: (any Error)?

    /// The ID of a conflict, and the coding path at which it was first encoded.
    var conflictID: Record.ID?
    var conflictPath: [any CodingKey]?

    init(encoder: RecordEncoder) {
        options = encoder
        flattens = encoder.embeddingStrategy != .map
        notesKeys = flattens
        fieldKeys = FieldKeyResolver(
            FieldNaming(keyStrategy: encoder.keyStrategy, separator: encoder.embeddingStrategy.separator))
    }

    func encode<Root: RecordEncodable>(roots: [Root]) throws -> RecordGraph {
        var hasEnded = false
        defer { if !hasEnded || !recycle() { invalidate() } }
        var ids: [Record.ID] = []
        for root in roots {
            guard case .reference(let reference) = try encode(root) else {
                let context = EncodingError.Context(codingPath: [], debugDescription: "the root became no record")
                throw EncodingError.invalidValue(root, context)
            }
            ids.append(reference.id)
        }
        if let failure { throw failure }
        try checkPropertyNames()
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
        let encoder = typeEncoders.typeInfo(about: Value.self) { makeTypeEncoder(for: Value.self) }
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

// MARK: Lists of properties

extension EncodingSession {
    /// Has the names in a type's lists checked when the call ends.
    func checkPropertyNames(of typeInfo: RecordTypeInfo) throws {
        if let fault = typeInfo.listFault { throw fail(fault) }
        if typeInfo.names.areKnown { return }
        uncheckedTypes.append(typeInfo)
        notesKeys = true
    }

    private func checkPropertyNames() throws {
        for typeInfo in uncheckedTypes where typeInfo.names.mayBeFaulty {
            let fields = typeInfo.fieldNames(in: (0..<records.count).lazy.map { self.records[$0] })
            if let fault = typeInfo.names.fault(fields: fields, keys: claimedNames) { throw fault }
        }
        uncheckedTypes = []
        notesKeys = flattens
    }
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
    func recycle() -> Bool {
        guard !mayBeHeld, openFrames == 0, conflictID == nil, !options.keyStrategy.renames, !flattens,
            encoders.count <= SessionLimits.levels,
            shapes.count <= SessionLimits.shapes, typeEncoders.count <= SessionLimits.types
        else { return false }
        replaceEncoders()
        index = .empty
        if !madeNames.positions.isEmpty { madeNames = MadeNames() }
        states.removeAll(keeping: SessionLimits.records)
        shapes.forgetPredictions()
        for position in 0..<min(mostOpenFrames, encoders.count) { encoders[position].frame.reset() }
        mostOpenFrames = 0
        for holder in holders { holder.reset() }
        holders = []
        options = RecordEncoder()
        return Self.pool.put(self)
    }

    /// Makes the encoders anew that this call has used.
    ///
    /// Before anything is released: the `deinit` of a user's object may know them by a weak reference.
    private func replaceEncoders() {
        for position in 0..<min(mostOpenFrames, encoders.count) {
            let encoder = ValueEncoder(replacing: encoders[position])
            encoders[position] = encoder
            stack[position] = OpenEncodingFrame(encoder)
        }
    }

    /// Ends the session: the levels hold it.
    func invalidate() {
        stack.removeAll(keeping: 0)
        // From the end: each frame holds its parent.
        while encoders.popLast() != nil {}
    }
}

// MARK: Frames

extension EncodingSession {
    /// Opens a frame for a value nested in the innermost open one.
    ///
    /// - Returns: The frame. The session holds it until it is closed.
    @inline(__always)
    func open(
        shape: Unmanaged<ShapeNode>? = nil, record: Int = -1, _ typeInfo: Unmanaged<RecordTypeInfo>? = nil
    ) throws -> OpenEncodingFrame {
        var outerDepth = openFrames > 0 ? stack[openFrames - 1].depth : 0
        if nestedParent != nil { outerDepth = nestedParent.map(\.depth) ?? 0 }
        if outerDepth >= options.maximumDepth { throw fail(depthError()) }
        if openFrames == stack.count { addFrame() }
        let opened = stack[openFrames]
        opened.frame._withUnsafeGuaranteedRef { frame in
            if nestedParent != nil || frame.hasOtherParent { setParent(of: frame) }
            frame.reopen(depth: outerDepth + 1, shape: shape, record: record, typeInfo)
        }
        openFrames += 1
        if openFrames > mostOpenFrames { mostOpenFrames = openFrames }
        return opened
    }

    @inline(never)
    private func depthError() -> any Error {
        let place = frameOfNextValue.map { $0.place(of: $0.currentKey) } ?? RecordContext()
        return RecordError.depthLimitExceeded(options.maximumDepth, context: place)
    }

    @inline(never)
    private func setParent(of frame: EncodingFrame) {
        frame.parent = frameOfNextValue
        frame.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addFrame() {
        let encoder = makeEncoder()
        encoders.append(encoder)
        stack.append(OpenEncodingFrame(encoder))
    }

    private func makeEncoder() -> ValueEncoder {
        let frame = EncodingFrame(session: self)
        if openFrames > 0 { frame.parent = stack[openFrames - 1].frame.takeUnretainedValue() }
        return ValueEncoder(frame: frame)
    }

    /// Closes the innermost frame.
    ///
    /// If user code holds its encoder or a container, a new frame takes its place on the stack.
    @inline(__always)
    func close() {
        openFrames -= 1
        if !isKnownUniquelyReferenced(&encoders[openFrames])
            || !stack[openFrames].encoder._withUnsafeGuaranteedRef({ $0.isReusable })
        {
            closeHeldFrame()
        }
    }

    @inline(never)
    private func closeHeldFrame() {
        let frame = encoders[openFrames].frame
        // Left over where the value ended with an error.
        if !frame.children.isEmpty { frame.closeDescendants() }
        if isKnownUniquelyReferenced(&encoders[openFrames]), encoders[openFrames].isReusable { return }
        mayBeHeld = true
        frame.detach()
        frame.close()
        let encoder = makeEncoder()
        encoders[openFrames] = encoder
        stack[openFrames] = OpenEncodingFrame(encoder)
        if openFrames + 1 < stack.count {
            stack[openFrames + 1].frame.takeUnretainedValue().hasOtherParent = true
        }
    }

    /// The frame that contains the next value.
    @inline(__always)
    var frameOfNextValue: EncodingFrame? {
        nestedParent ?? (openFrames > 0 ? stack[openFrames - 1].frame.takeUnretainedValue() : nil)
    }
}

/// A frame and its encoder, which the session holds as long as the frame is open.
struct OpenEncodingFrame {
    let encoder: Unmanaged<ValueEncoder>
    let frame: Unmanaged<EncodingFrame>

    init(_ encoder: ValueEncoder) {
        self.encoder = Unmanaged.passUnretained(encoder)
        frame = Unmanaged.passUnretained(encoder.frame)
    }

    @inline(__always)
    var depth: Int { frame._withUnsafeGuaranteedRef { $0.depth } }
}

// MARK: Identities

/// The records whose names were made in this call.
struct MadeNames {
    var positions: Set<Int> = []

    /// The positions of class instances, which the session holds.
    var instances: [ObjectIdentifier: Int] = [:]
}

extension EncodingSession {
    /// The record with this identity: its position, and whether it was not met before.
    @inline(__always)
    func reserve(_ value: some RecordRepresentable, _ typeInfo: RecordTypeInfo) throws -> (position: Int, isNew: Bool) {
        let name = value.recordName
        let type = typeInfo.recordType(of: value)
        let typeHash = typeInfo.isDynamic ? RecordIndex.hash(ofType: type) : typeInfo.typeHash
        let (hash, isPlain) = name.foldPlainBytes(into: typeHash)
        let found = index.find(hash) { position in
            records[position].id.name.hasSameBytes(as: name) && records[position].id.type.hasSameBytes(as: type)
        }
        if let found { return (found, false) }
        if !isPlain || typeInfo.isSuspicious {
            if name.isEmpty, let reserved = try reserveNameless(value, type, typeHash, typeInfo) { return reserved }
            try validate(type: type, name: name)
        }
        return (append(value, type, name, hash, typeInfo), true)
    }

    @inline(__always)
    private func append(
        _ value: some RecordRepresentable, _ type: String, _ name: String, _ hash: UInt64, _ typeInfo: RecordTypeInfo
    ) -> Int {
        let position = records.count
        index.insert(hash, at: position)
        records.append(Record(id: Record.ID(checkedType: type, name: name), checkedFields: Record.Fields()))
        states.append(RecordState(instance: typeInfo.isClass ? instance(value) : nil))
        if conflictID != nil { noteIfConflicting(position) }
        return position
    }

    /// Makes a name for a value whose property with ``RecordName`` is nil; an instance that was met before has its name.
    ///
    /// - Returns: The record's position, and whether it is new; nil if the value is not to get a name.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)`` if the value has no name and cannot get one.
    @inline(never)
    private func reserveNameless(
        _ value: some RecordRepresentable, _ type: String, _ typeHash: UInt64, _ typeInfo: RecordTypeInfo
    ) throws -> (position: Int, isNew: Bool)? {
        guard let property = (value as? any Encodable).flatMap(RecordNameSearch.init) else {
            throw invalidID(type, "", "'recordName' is empty, and no property is marked with @RecordName")
        }
        guard property.name == nil else { return nil }
        let object = typeInfo.isClass ? ObjectIdentifier(instance(value)) : nil
        if let known = object.flatMap({ madeNames.instances[$0] }) { return (known, false) }
        if let reason = Record.ID.validationError(forType: type) { throw invalidID(type, "", reason) }
        let name = UUID().uuidString
        let position = append(value, type, name, name.foldPlainBytes(into: typeHash).hash, typeInfo)
        madeNames.positions.insert(position)
        if let object { madeNames.instances[object] = position }
        return (position, true)
    }

    @inline(never)
    private func validate(type: String, name: String) throws {
        guard let reason = Record.ID.validationError(forType: type) ?? Record.ID.validationError(forName: name) else {
            return
        }
        throw invalidID(type, name, reason)
    }

    private func invalidID(_ type: String, _ name: String, _ reason: String) -> any Error {
        let place = frameOfNextValue.map { $0.place(of: $0.currentKey) }
        return fail(RecordError.invalidID(type: type, name: name, reason: reason, context: place))
    }

    private func noteIfConflicting(_ position: Int) {
        guard records[position].id == conflictID else { return }
        conflictPath = pathOfNextValue
    }

    /// The coding path of the value that is about to open a frame.
    var pathOfNextValue: [any CodingKey] {
        guard let frame = frameOfNextValue else { return [] }
        return frame.codingPath + (frame.currentKey.map { [$0] } ?? [])
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

// MARK: Errors

extension EncodingSession {
    /// Gives an error its place, at the innermost frame that it passes.
    ///
    /// An error that ends a record is kept: the record would be missing if a type went on without it.
    func placed(_ error: any Error, _ frame: EncodingFrame, _ value: Any) -> any Error {
        if let failure { return failure }
        let isRecord = frame.recordPosition >= 0
        let placed: any Error
        switch error {
        case let error as RecordError where error.hasContext:
            placed = error
        case is EncodingConflict, is CancellationError:
            placed = error
        case EncodingError.invalidValue(let value, let context) where isRecord:
            let suffix = frame.place(ofErrorAt: context.codingPath).recordSuffix
            let context = EncodingError.Context(
                codingPath: context.codingPath,
                debugDescription: context.debugDescription.hasSuffix(suffix)
                    ? context.debugDescription : context.debugDescription + suffix,
                underlyingError: context.underlyingError)
            placed = EncodingError.invalidValue(value, context)
        case is EncodingError:
            placed = error
        default:
            let place = frame.place(of: frame.currentKey)
            let context = EncodingError.Context(
                codingPath: place.codingPath,
                debugDescription: "encoding failed: \(error)\(isRecord ? place.recordSuffix : "")",
                underlyingError: error)
            placed = EncodingError.invalidValue(value, context)
        }
        return isRecord ? fail(placed) : placed
    }
}
