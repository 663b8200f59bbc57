/// One value that is being encoded: where its containers write.
final class EncodingFrame: CodingFrame<EncodingFrame.State> {
    enum Content {
        case undecided
        case keyed
        /// Keyed by the keys of a dictionary, which are data.
        case dictionary
        case list
        case single
        /// The value is complete; a container that user code kept cannot write any more.
        case closed
    }

    struct State: ~Copyable {
        fileprivate(set) var content = Content.undecided

        /// The values of the fields, the elements of the list, or the single value.
        var values = GrowingList<Record.Value>()

        /// The names of the fields.
        var fields = WrittenFields()

        /// The number of values in the record that contain this one.
        fileprivate(set) var nesting = 0

        /// The position of the next element of a list whose elements are not in ``values``.
        var position = 0

        /// The nested containers and super encoders of the whole value, each before those that are nested in it.
        fileprivate var children: [Child] = []

        /// The numbers of the children of this frame, by the position that waits for their value.
        fileprivate var childNumbers: [Int: Int] = [:]

        /// What is known of the properties where embedded values are flattened.
        var flat: FlatProperties?

        /// What the record says of its properties, where this frame is a record or the `super` of one.
        ///
        /// Whoever encodes the record's type holds it until the call ends.
        fileprivate(set) var recordType: Borrowed<RecordTypeUse>?

        /// Whether this is the nested frame of an ignored property: nothing in it is encoded.
        fileprivate(set) var isIgnored = false
    }

    /// A nested container or super encoder.
    fileprivate struct Child {
        /// The position in the parent that waits for its value.
        let position: Int
        var coder: ValueEncoder.Coder

        /// The key of a property about whose values the record says more.
        let adjustedKey: (any CodingKey)?
    }

    let call: EncodingCall

    init(_ call: EncodingCall) {
        self.call = call
        super.init(call.naming, State())
    }

    override var recordID: Record.ID? { call.recordID(at: state.recordPosition) }

    override var currentKey: (any CodingKey)? {
        switch own.content {
        case .list: PathKey(index: own.values.count + own.position)
        case .dictionary: super.currentKey ?? own.fields.last.map(PathKey.init(stringValue:))
        case .undecided, .keyed, .single, .closed: super.currentKey
        }
    }

    /// Whether the keys that are written here are a record's own properties.
    var isOwnRecord: Bool { own.content == .keyed && own.recordType != nil && ownRecordPosition >= 0 }

    /// Whether the value that is encoded now is a record's own property.
    var isOwnProperty: Bool { isOwnRecord && isProperty(currentKey) }

    /// Makes the frame ready for a value.
    ///
    /// - Parameters:
    ///   - parent: The frame that contains it.
    ///   - order: The order of the fields, nil where there is none.
    ///   - record: The position of the record that the value is, or a negative number.
    ///   - recordType: What the record says of its properties.
    @inline(__always)
    func begin(
        in parent: EncodingFrame, _ order: Borrowed<FieldOrder>?, record: Int,
        _ recordType: Borrowed<RecordTypeUse>?
    ) {
        begin(in: parent, record: record)
        own.content = .undecided
        own.nesting = record >= 0 ? 0 : parent.own.nesting + 1
        own.position = 0
        own.fields.begin(order)
        own.recordType = recordType
        if own.flat != nil { own.flat = nil }
        // Left over where an error ended the value before.
        if !own.values.isEmpty { own.values.removeAll(keeping: Self.mostKeptValues) }
    }

    /// Takes the memory of a state that is not used any more.
    func reuseMemory(of former: inout State) {
        former.values.removeAll(keeping: Self.mostKeptValues)
        swap(&own.values, &former.values)
        own.fields.reuseMemory(of: &former.fields)
    }

    /// How many values there may be room for between two of the values that a frame is used for.
    static let mostKeptValues = 256

    /// Whether no nested container waits for its value.
    @inline(__always)
    var hasNoChildren: Bool { own.children.isEmpty }

    /// Ends the use of the frame: whoever still has a container of it cannot write any more.
    func close() {
        for number in own.children.indices { closeChild(number) }
        forgetChildren()
        closeContent()
    }

    private func closeContent() {
        own.content = .closed
        own.recordType = nil
        own.childNumbers = [:]
        own.fields.begin(nil)
        own.values.removeAll(keeping: 0)
    }

    /// Closes a nested frame, and gives it a path of its own if user code still holds it.
    private func closeChild(_ number: Int) {
        let isFree =
            isKnownUniquelyReferenced(&own.children[number].coder) && own.children[number].coder.state.areFree
        let frame = own.children[number].coder.frame
        if !isFree {
            call.state.isHeld = true
            frame.state.keptPath = frame.codingPath
        }
        frame.closeContent()
    }

    // From the end: each frame holds its parent, and containers can be nested far beyond what a stack holds.
    private func forgetChildren() {
        while let child = own.children.popLast() { child.coder.frame.leaveParent() }
        own.childNumbers = [:]
    }
}

// MARK: Kinds

extension EncodingFrame {
    /// Makes this a frame of a kind, or finds that it is one of another kind.
    ///
    /// - Returns: Whether the frame is of that kind now. If not, the call has failed.
    func become(_ kind: Content) -> Bool {
        if own.content == .undecided { own.content = kind == .keyed && state.keysAreData ? .dictionary : kind }
        if own.content == kind || own.content == .dictionary && kind == .keyed { return true }
        if own.content != .closed {
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "a value cannot be written as \(kind) and as \(own.content)\(place().recordSuffix)")
            call.fail(EncodingError.invalidValue(own.content, context))
        }
        return false
    }

    /// The error for a write to a frame whose value is complete.
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
        case .dictionary: "a dictionary"
        case .list: "an unkeyed container"
        case .single: "a single value"
        case .closed: "a value that is complete"
        }
    }
}

// MARK: Fields

extension EncodingFrame {
    /// What the value of a key becomes.
    ///
    /// Not for keys that are ignored: encoding their values could do something.
    @inline(__always)
    func encodeNested<Value: Encodable>(_ value: Value) throws -> EncodedValue {
        guard own.content != .closed else { throw closedError(value) }
        if own.isIgnored { return .value(.null) }
        let mark = call.mark
        do {
            return try call.encode(value, in: self)
        } catch {
            // A type may go on without the value.
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
        // A value that was refused has left its name.
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

    /// Stores a map whose fields become fields of the record.
    func putEmbedded(_ value: Record.Value, forKey key: some CodingKey) throws {
        let count = own.values.count
        try put(value, forKey: key)
        if own.values.count > count { own.flat?.embedded.append(count) }
    }

    /// Whether a key's value is left out.
    @inline(__always)
    func ignores(_ key: some CodingKey) -> Bool {
        guard let recordType = own.recordType, recordType.with({ $0.info.hasIgnored }) else { return false }
        return own.fields.isIgnored(key) ?? recordType.object.info.ignored.contains(key.stringValue)
    }

    private enum Slot {
        case ignored
        case new(isAdjusted: Bool)
        case written(at: Int, isAdjusted: Bool)
    }

    /// Where the value of a key belongs.
    ///
    /// A new slot's name is noted; its value must follow.
    private func slot<Key: CodingKey>(for key: Key) throws -> Slot {
        if own.fields.advance(to: key) { return .new(isAdjusted: false) }
        if own.fields.advance(toAdjusted: key) { return .new(isAdjusted: true) }
        if ignores(key) {
            if own.fields.isIgnored(key) == nil { own.fields.noteIgnored(key) }
            return .ignored
        }
        let isAdjusted = own.recordType?.object.info.adjusts(key) ?? false
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
                ? "'\(name)' is the field with the version of the record's type"
                : "'\(name)' is the field of records that are a single value"
        return RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key))
    }

    /// The value of a property about whose values the record says more.
    private func adjusted(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        guard let info = own.recordType?.object.info else { return value }
        do {
            return try value.adjusted(
                locations: info.schema.locations.contains(key.stringValue) ? call.locationStrategy : nil,
                isCascading: info.schema.cascading.contains(key.stringValue))
        } catch {
            // The field's name is taken, so there is no going on without the value.
            let context = EncodingError.Context(
                codingPath: codingPath + [key], debugDescription: error.reason + place(of: key).recordSuffix)
            throw call.fail(EncodingError.invalidValue(error.value, context))
        }
    }

    /// Notes a property that has no value, whose field another property must not take.
    @inline(__always)
    func noteAbsent(_ key: some CodingKey) throws {
        if !naming.isPlain { try noteAbsentField(key) }
    }

    private func noteAbsentField(_ key: some CodingKey) throws {
        if ignores(key) { return }
        if flattensProperties { own.flat?.absent.append(fieldName(of: key)) }
        try claim(fieldName(of: key), for: key)
    }

    /// Makes sure that no other key of the same type has this name: it would read the wrong value.
    private func claim<Key: CodingKey>(_ name: String, for key: Key) throws {
        // Types of keys that are no enumeration serve several types, each with names of its own.
        guard naming.keyStrategy.renames, ByteKey.fits(Key.self) else { return }
        guard let owner = call.owner(of: name, claimedFor: key), owner != key.stringValue else { return }
        let reason = "it and '\(owner)' give the same field '\(name)'"
        throw call.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    private func writtenTwice(_ key: any CodingKey) -> any Error {
        let reason = "two different values are written to the field of the key '\(key.stringValue)'"
        return call.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    /// Notes the keys that are used on this frame.
    @inline(__always)
    func use<Key: CodingKey>(_: Key.Type) {
        noteKeys(Key.self)
        if let flat = own.flat { flat.note(Key.self, in: self) }
        if let recordType = own.recordType { recordType.with { $0.note(Key.self, naming) } }
        own.fields.use(Key.self)
    }
}

// MARK: Nested containers

extension EncodingFrame {
    /// The nested frame for a key: a new one, or the one that an earlier call returned.
    func child(forKey key: some CodingKey, _ kind: Content) -> ValueEncoder {
        do {
            guard own.content != .closed, !own.isIgnored else { return makeChild(at: nil, key: key) }
            switch try slot(for: key) {
            case .ignored:
                return makeChild(at: nil, key: key, isIgnored: true)
            case .new(let isAdjusted):
                own.values.append(.null)
                return makeChild(at: own.values.count - 1, key: key, isAdjusted: isAdjusted)
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

    /// The nested container or super encoder that was made for a position.
    private func child(at position: Int) -> ValueEncoder.Coder? {
        own.childNumbers[position].map { whole.own.children[$0].coder }
    }

    /// A nested frame at the end of the list.
    func appendChild() -> ValueEncoder {
        let key = PathKey(index: own.values.count)
        guard own.content == .list else { return makeChild(at: nil, key: key) }
        own.values.append(.null)
        return makeChild(at: own.values.count - 1, key: key)
    }

    /// The frame for a part of this value that the superclass writes.
    func superChild(forKey key: some CodingKey) -> ValueEncoder {
        // What a record says of its properties holds for those of its superclass too. A frame in which nothing is encoded
        // is not closed when the call ends, so it must not borrow what the call holds.
        let child = child(forKey: key, .undecided)
        if child.frame.own.content != .closed, !child.frame.own.isIgnored {
            child.frame.own.recordType = own.recordType
        }
        return child
    }

    /// The encoder that nested containers and super encoders of this frame write to.
    ///
    /// A frame without a position belongs to nothing: unless it is ignored, it refuses every write.
    private func makeChild(
        at position: Int?, key: (any CodingKey)?, isAdjusted: Bool = false, isIgnored: Bool = false
    ) -> ValueEncoder {
        // Not one more in each other: user code may ask for any number of them.
        if own.content == .closed { return ValueEncoder(coder: ValueEncoder.Coder(frame: self)) }
        let child = EncodingFrame(call)
        child.begin(in: self, nil, record: -1, nil)
        if let key { child.state.keyInParent = key }
        child.own.isIgnored = own.isIgnored || isIgnored
        if flattensProperties { child.beginFlat() }
        let coder = ValueEncoder.Coder(frame: child)
        if child.state.depth > call.maximumDepth || child.own.nesting > Record.Value.maximumNesting {
            let limit = min(call.maximumDepth, Record.Value.maximumNesting)
            call.fail(RecordError.depthLimitExceeded(limit, context: child.place()))
        }
        if call.failure != nil || position == nil && !child.own.isIgnored {
            child.close()
        } else if let position, !child.own.isIgnored {
            let whole = whole
            own.childNumbers[position] = whole.own.children.count
            whole.own.children.append(Child(position: position, coder: coder, adjustedKey: isAdjusted ? key : nil))
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
    /// All that was written, as the fields of a record.
    @inline(__always)
    func takeFields() -> Record.Fields {
        if !own.children.isEmpty { finishChildren() }
        guard own.content == .keyed || own.content == .dictionary else {
            return fields(of: takeOwnValue())
        }
        let fields = takeNamedValues()
        if fields.areDecimal { failAsDecimal() }
        return fields
    }

    /// All that was written, as the fields of a record whose type states a version.
    func takeFields(version: Int64) -> Record.Fields {
        let hasFields = [.keyed, .undecided].contains(own.content)
        var fields = takeFields()
        if hasFields {
            fields.append(Record.versionField, .int(version))
        } else {
            let reason = "a record with a version consists of fields, and its type writes a single value"
            call.fail(RecordError.invalidKey(Record.versionField, reason: reason, context: place()))
        }
        return fields
    }

    /// The fields of a record whose type has written a list or a single value.
    private func fields(of value: Record.Value) -> Record.Fields {
        guard case .map(let fields) = value, !fields.areDecimal else { return [Record.singleValueField: value] }
        for name in fields.names where Record.isReserved(name) {
            call.fail(reservedName(name, PathKey(stringValue: name)))
        }
        return fields
    }

    /// All that was written, as a value in a field.
    func takeValue() -> Record.Value {
        if !own.children.isEmpty { finishChildren() }
        return takeOwnValue()
    }

    private func takeOwnValue() -> Record.Value {
        switch own.content {
        case .keyed, .dictionary:
            let fields = takeNamedValues()
            if fields.areDecimal { failAsDecimal() }
            return .map(fields)
        case .list: return .list(takeValues())
        case .single: return takeValues().first ?? .map([:])
        case .undecided, .closed: return .map([:])
        }
    }

    /// Refuses a value whose map would be read as a decimal number.
    private func failAsDecimal() {
        let key = PathKey(stringValue: Record.Fields.decimalMark)
        let reason = "a map with this name alone is a decimal number"
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

    /// Puts the values of the nested frames in their places.
    private func finishChildren() {
        for number in own.children.indices.reversed() {
            // Not the child itself, which would hold the coder.
            let (frame, position) = (own.children[number].coder.frame, own.children[number].position)
            let key = own.children[number].adjustedKey
            let value = frame.takeOwnValue()
            let isEmbedded = frame.isEmbedded(as: value)
            closeChild(number)
            guard let parent = frame.state.parent as? EncodingFrame else { continue }
            if isEmbedded { parent.own.flat?.embedded.append(position) }
            do {
                parent.own.values[position] = try key.map { try parent.adjusted(value, $0) } ?? value
            } catch {
                call.fail(error)
            }
        }
        forgetChildren()
    }
}
