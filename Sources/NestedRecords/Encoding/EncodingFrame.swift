final class EncodingFrame: CodingFrame<EncodingCall, EncodingFrame.State> {
    enum Content {
        case undecided
        case keyed
        case list
        case single
        /// The value is complete; containers that user code has kept cannot write any more.
        case closed
    }

    struct State: ~Copyable {
        fileprivate(set) var content = Content.undecided
        var values = GrowingList<Record.Value>()
        var fields = WrittenFields()
        fileprivate var children = Children()
        var flat: FlatProperties?
    }

    fileprivate struct Child {
        let position: Int
        var coder: ValueEncoder.Coder
    }

    /// Nested containers and super encoders, each before those nested in it.
    fileprivate struct Children {
        private struct Place: Hashable {
            let parent: ObjectIdentifier
            let position: Int
        }

        var list: [Child] = []

        /// A type may request the container of each key again.
        private var numbers: [Place: Int] = [:]

        var isEmpty: Bool { list.isEmpty }

        mutating func append(_ coder: ValueEncoder.Coder, to parent: EncodingFrame, at position: Int) {
            numbers[Place(parent: ObjectIdentifier(parent), position: position)] = list.count
            list.append(Child(position: position, coder: coder))
        }

        func coder(at position: Int, of parent: EncodingFrame) -> ValueEncoder.Coder? {
            guard let number = numbers[Place(parent: ObjectIdentifier(parent), position: position)], number < list.count
            else { return nil }
            return list[number].coder
        }

        mutating func popLast() -> Child? {
            if list.isEmpty { numbers = [:] }
            return list.popLast()
        }
    }

    init(_ call: EncodingCall) { super.init(call, State()) }

    override var currentKey: (any CodingKey)? {
        super.currentKey ?? (own.content == .list ? PathKey(index: own.values.count) : nil)
    }

    override var isFlat: Bool { own.flat != nil }

    @inline(__always)
    func begin(in parent: EncodingFrame, _ role: RecordRole, _ order: Borrowed<FieldOrder>? = nil) {
        enter(parent, as: role)
        own.content = .undecided
        own.fields.begin(order)
        if own.flat != nil { own.flat = nil }
        // Values remain if an error ended the previous value.
        if !own.values.isEmpty { own.values.removeAll(keeping: Self.mostKeptValues) }
    }

    func reuseMemory(of former: inout State) {
        former.values.removeAll(keeping: Self.mostKeptValues)
        swap(&own.values, &former.values)
        own.fields.reuseMemory(of: &former.fields)
    }

    static let mostKeptValues = 256

    /// Whether the value takes too much stack to release, whatever depth the encoder allows.
    @inline(__always)
    var isNestedTooDeeply: Bool {
        state.depth > Record.Value.maximumNesting && nesting > Record.Value.maximumNesting
    }

    private var nesting: Int {
        var (frame, count): (CodingFrame, Int) = (self, 0)
        while frame.recordID == nil, let parent = frame.state.parent { (frame, count) = (parent, count + 1) }
        return count
    }

    @inline(__always)
    var hasNoChildren: Bool { own.children.isEmpty }

    /// Ends the use of the frame: containers of it that still exist cannot write any more.
    func close() {
        while var child = own.children.popLast() { close(&child) }
        closeContent()
    }

    private func closeContent() {
        own.content = .closed
        state.role = .value
        own.fields.begin(nil)
        own.values.removeAll(keeping: 0)
    }

    /// Closes a nested frame, and stores its path in it if user code still holds it.
    private func close(_ child: inout Child) {
        let isFree = isKnownUniquelyReferenced(&child.coder) && child.coder.state.areFree
        let frame = child.coder.frame
        if isFree {
            frame.leaveParent()
        } else {
            call.state.isHeld = true
            frame.detach()
        }
        frame.closeContent()
    }
}

// MARK: Kinds

extension EncodingFrame {
    /// Makes this a frame of a kind, or fails the call if the frame has another kind.
    ///
    /// - Returns: Whether the frame is of that kind now.
    func become(_ kind: Content) -> Bool {
        if own.content == .undecided { own.content = kind }
        if own.content == kind { return true }
        if own.content != .closed {
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "a value cannot be written as \(kind) and as \(own.content)\(place().recordSuffix)")
            call.fail(EncodingError.invalidValue(own.content, context))
        }
        return false
    }

    func closedError(_ value: Any) -> any Error {
        let context = EncodingError.Context(
            codingPath: codingPath, debugDescription: "the container is used after its value was encoded")
        return call.failure ?? EncodingError.invalidValue(value, context)
    }
}

extension EncodingFrame.Content: CustomStringConvertible {
    var description: String {
        switch self {
        case .undecided: "nothing"
        case .keyed: "a keyed container"
        case .list: "an unkeyed container"
        case .single: "a single value"
        case .closed: "a value that is complete"
        }
    }
}

// MARK: Fields

extension EncodingFrame {
    /// Encodes the value of a key.
    ///
    /// Not for ignored keys: encoding their values may have side effects.
    @inline(__always)
    func encodeNested<Value: Encodable>(_ value: Value) throws -> EncodedValue {
        guard own.content != .closed else { throw closedError(value) }
        if case .ignored = state.role { return .value(.null) }
        let mark = call.mark
        do {
            return try call.encode(value, in: self)
        } catch {
            // A type may continue without the value.
            call.discard(from: mark)
            throw error
        }
    }

    @inline(__always)
    func put<Key: CodingKey>(_ value: Record.Value, forKey key: Key) throws {
        if own.fields.advance(to: key) { own.values.append(value) } else { try putUnpredicted(value, key) }
    }

    private func putUnpredicted<Key: CodingKey>(_ value: Record.Value, _ key: Key) throws {
        guard own.content != .closed else { throw closedError(value) }
        // A rejected value has left its name.
        if let failure = call.failure { throw failure }
        switch try slot(for: key) {
        case .ignored: break
        case .new(let isAdjusted):
            own.values.append(isAdjusted ? try adjusted(value, key) : value)
        case .written(let position, let isAdjusted):
            let value = isAdjusted ? try adjusted(value, key) : value
            guard own.values[position] == value, child(at: position) == nil else { throw writtenTwice(key) }
        }
    }

    @inline(__always)
    func putScalar(_ value: some FieldScalar, forKey key: some CodingKey) throws {
        try put(value.fieldValue, forKey: key)
    }

    @inline(__always)
    func putIfPresent(_ value: (some FieldScalar)?, forKey key: some CodingKey) throws {
        if let value { try putScalar(value, forKey: key) } else { try noteAbsent(key) }
    }

    func putEmbedded(_ value: Record.Value, forKey key: some CodingKey) throws {
        let count = own.values.count
        try put(value, forKey: key)
        if own.values.count > count { own.flat?.embedded.append(count) }
    }

    @inline(__always)
    func ignores(_ key: some CodingKey) -> Bool {
        guard let recordType, recordType.with({ $0.info.hasIgnored }) else { return false }
        return own.fields.isIgnored(key) ?? recordType.object.info.ignored.contains(key.stringValue)
    }

    private enum Slot {
        case ignored
        case new(isAdjusted: Bool)
        case written(at: Int, isAdjusted: Bool)
    }

    /// The slot for the value of a key.
    ///
    /// The name of a new slot is noted; its value must follow.
    private func slot<Key: CodingKey>(for key: Key) throws -> Slot {
        if own.fields.advance(to: key) { return .new(isAdjusted: false) }
        if own.fields.advance(toAdjusted: key) { return .new(isAdjusted: true) }
        if ignores(key) {
            if own.fields.isIgnored(key) == nil { own.fields.noteIgnored(key) }
            return .ignored
        }
        let isAdjusted = recordType?.object.info.adjusts(key) ?? false
        let name = fieldName(of: key)
        try claim(name, for: key)
        if Record.isReserved(name), recordID != nil { throw call.fail(reservedName(name, key)) }
        if let position = own.fields.position(of: name) { return .written(at: position, isAdjusted: isAdjusted) }
        own.fields.append(name, key, isAdjusted: isAdjusted)
        return .new(isAdjusted: isAdjusted)
    }

    func reservedName(_ name: String, _ key: any CodingKey) -> any Error {
        let reason =
            name.isEmpty
            ? "a field's name must not be empty"
            : name == Record.versionField
                ? "'\(name)' is reserved for the version of the record's type"
                : "'\(name)' is reserved for records that are a single value"
        return RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key))
    }

    private func adjusted(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        guard let info = recordType?.object.info else { return value }
        do {
            let value = try value.adjusted(
                isLocation: info.schema.locations.contains(key.stringValue),
                isCascading: info.schema.cascading.contains(key.stringValue),
                normalize: info.schema.normalizing[key.stringValue])
            let paths = info.schema.embeddedLocations[key.stringValue].map { $0.map(naming.keyStrategy.fieldName) }
            return try paths.isEmpty ? value : value.adjusted(locationsAt: paths, separator: naming.separator)
        } catch {
            // The field's name is taken, so encoding cannot continue without the value.
            let context = EncodingError.Context(
                codingPath: codingPath + [key], debugDescription: error.reason + place(of: key).recordSuffix)
            throw call.fail(EncodingError.invalidValue(error.value, context))
        }
    }

    /// Notes a property without a value, so that no other property takes its field.
    @inline(__always)
    func noteAbsent(_ key: some CodingKey) throws {
        if !naming.isPlain { try noteAbsentField(key) }
    }

    private func noteAbsentField(_ key: some CodingKey) throws {
        if ignores(key) { return }
        if flattensProperties { own.flat?.absent.append(fieldName(of: key)) }
        try claim(fieldName(of: key), for: key)
    }

    private func claim<Key: CodingKey>(_ name: String, for key: Key) throws {
        // Types of keys that are not enumerations serve several types, each with its own names.
        guard naming.renames, ByteKey.fits(Key.self) else { return }
        guard let owner = call.owner(of: name, claimedFor: key), owner != key.stringValue else { return }
        let reason = "it and '\(owner)' map to the same field '\(name)'"
        throw call.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    private func writtenTwice(_ key: any CodingKey) -> any Error {
        let reason = "two different values are written to the field of the key '\(key.stringValue)'"
        return call.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    @inline(__always)
    func use<Key: CodingKey>(_: Key.Type) {
        noteKeys(Key.self)
        if let flat = own.flat { flat.note(Key.self, in: self) }
        if let recordType { recordType.with { $0.note(Key.self, naming) } }
        own.fields.use(Key.self)
    }
}

// MARK: Nested containers

extension EncodingFrame {
    private var isIgnored: Bool {
        if case .ignored = state.role { true } else { false }
    }

    func child(forKey key: some CodingKey, _ kind: Content) -> ValueEncoder {
        do {
            guard own.content != .closed, !isIgnored else { return makeChild(at: nil, key: key) }
            switch try slot(for: key) {
            case .ignored:
                return makeChild(at: nil, key: key, isIgnored: true)
            case .new:
                own.values.append(.null)
                return makeChild(at: own.values.count - 1, key: key)
            case .written(let position, _):
                if let child = child(at: position), kind != .undecided, child.frame.own.content == kind {
                    return ValueEncoder(coder: child)
                }
                throw writtenTwice(key)
            }
        } catch {
            call.fail(error)
            return makeChild(at: nil, key: key)
        }
    }

    private func child(at position: Int) -> ValueEncoder.Coder? {
        whole.own.children.coder(at: position, of: self)
    }

    func appendChild() -> ValueEncoder {
        let key = PathKey(index: own.values.count)
        guard own.content == .list else { return makeChild(at: nil, key: key) }
        own.values.append(.null)
        return makeChild(at: own.values.count - 1, key: key)
    }

    func superChild(forKey key: some CodingKey) -> ValueEncoder {
        // The schema of a record also applies to the properties of its superclass. An ignored frame is not closed when
        // the call ends, so it must not borrow objects of the call.
        let child = child(forKey: key, .undecided)
        if child.frame.own.content != .closed, !child.frame.isIgnored, let recordType {
            child.frame.state.role = .superclass(recordType)
        }
        return child
    }

    /// The encoder that nested containers and super encoders of this frame write to.
    ///
    /// A frame without a position has no destination: unless it is ignored, it throws an error for every write.
    private func makeChild(at position: Int?, key: (any CodingKey)?, isIgnored: Bool = false) -> ValueEncoder {
        // Not another nested frame: user code may request any number of them.
        if own.content == .closed { return ValueEncoder(coder: ValueEncoder.Coder(frame: self)) }
        let isIgnored = isIgnored || self.isIgnored
        let child = EncodingFrame(call)
        child.begin(in: self, isIgnored ? .ignored : .value)
        if let key { child.state.origin = .nested(under: key) }
        if flattensProperties { child.beginFlat() }
        let coder = ValueEncoder.Coder(frame: child)
        if child.state.depth > call.maximumDepth || child.isNestedTooDeeply {
            let limit = min(call.maximumDepth, Record.Value.maximumNesting)
            call.fail(RecordError.depthLimitExceeded(limit, context: child.place()))
        }
        if call.failure != nil || position == nil && !isIgnored {
            child.close()
        } else if let position, !isIgnored {
            whole.own.children.append(coder, to: self, at: position)
            return ValueEncoder(coder: coder)
        }
        call.state.isHeld = true
        return ValueEncoder(coder: coder)
    }

    /// A closed frame, for containers that must be returned although the call has failed.
    var discarded: ValueEncoder { makeChild(at: nil, key: nil) }
}

// MARK: The end

extension EncodingFrame {
    @inline(__always)
    func takeFields() -> Record.Fields {
        if !own.children.isEmpty { finishChildren() }
        guard own.content == .keyed else { return fields(of: takeOwnValue()) }
        let fields = takeNamedValues()
        if fields.areDecimal { failAsDecimal() }
        return fields
    }

    func takeFields(version: Int64) -> Record.Fields {
        let hasFields = [.keyed, .undecided].contains(own.content)
        var fields = takeFields()
        if hasFields {
            fields.append(Record.versionField, .int(version))
        } else {
            let reason = "a type with a version must write fields, not a single value"
            call.fail(RecordError.invalidKey(Record.versionField, reason: reason, context: place()))
        }
        return fields
    }

    private func fields(of value: Record.Value) -> Record.Fields {
        guard case .map(let fields) = value, !fields.areDecimal else { return [Record.singleValueField: value] }
        for name in fields.names where Record.isReserved(name) {
            call.fail(reservedName(name, PathKey(stringValue: name)))
        }
        return fields
    }

    func takeValue() -> Record.Value {
        if !own.children.isEmpty { finishChildren() }
        return takeOwnValue()
    }

    private func takeOwnValue() -> Record.Value {
        switch own.content {
        case .keyed:
            let fields = takeNamedValues()
            if fields.areDecimal { failAsDecimal() }
            return .map(fields)
        case .list: return .list(takeValues())
        case .single: return takeValues().first ?? .map([:])
        case .undecided, .closed: return .map([:])
        }
    }

    /// Fails the call for a value whose map would be read as a decimal number.
    private func failAsDecimal() {
        let key = PathKey(stringValue: Record.Fields.decimalMark)
        let reason = "a map with only this name is read as a decimal number"
        call.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    @inline(__always)
    private func takeValues() -> [Record.Value] { own.values.take(keeping: Self.mostKeptValues) }

    @inline(__always)
    private func takeNamedValues() -> Record.Fields {
        let fields = Record.Fields(own.fields.takeNames(), values: takeValues())
        guard let flat = own.flat, !flat.isEmpty else { return fields }
        return flattened(fields, flat)
    }

    /// Puts the values of the nested frames in their places, the innermost first.
    ///
    /// Starts at the end: each frame holds its parent, and containers can be nested far more deeply than the stack
    /// allows.
    private func finishChildren() {
        while var child = own.children.popLast() {
            let frame = child.coder.frame
            let value = frame.takeOwnValue()
            let isEmbedded = frame.isEmbedded(as: value)
            if let parent = frame.state.parent, case .nested(let key) = frame.state.origin {
                // Frames with this state are of this class. The child's frame holds its parent.
                Borrowed(parent).with(as: EncodingFrame.self) { parent in
                    if isEmbedded { parent.own.flat?.embedded.append(child.position) }
                    do {
                        parent.own.values[child.position] = try parent.adjusted(value, key)
                    } catch {
                        call.fail(error)
                    }
                }
            }
            close(&child)
        }
    }
}
