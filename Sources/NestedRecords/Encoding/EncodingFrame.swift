/// One open frame of a value that is being encoded: the place its containers write to.
final class EncodingFrame: CodingFrame {
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

    let session: EncodingSession

    @exclusivity(unchecked) private(set) var content = Content.undecided

    /// The values of the fields, the elements of the list, or the single value.
    @exclusivity(unchecked) var values = GrowingList<Record.Value>()

    /// The position of the next element of a list whose elements are not in ``values``.
    @exclusivity(unchecked) var position = 0

    /// The names of the fields: a node of the session's tree, or nil when they are in ``names``.
    ///
    /// The session holds the tree, and this frame the session.
    @exclusivity(unchecked) var shape: Unmanaged<ShapeNode>?
    @exclusivity(unchecked) var names: [String] = []
    @exclusivity(unchecked) var positions: [String: Int]?

    /// A nested container or super encoder, with the position that waits for its value.
    struct Child {
        let position: Int
        var encoder: ValueEncoder

        /// The key of a property about whose values the record says more.
        let adjustedKey: (any CodingKey)?
    }

    /// Nested containers and super encoders.
    @exclusivity(unchecked) var children: [Child] = []

    /// The children by the position of their value.
    @exclusivity(unchecked) var childPositions: [Int: Int] = [:]

    /// What is known of the properties where embedded values are flattened.
    @exclusivity(unchecked) var flat = FlatFrame()

    /// What the record says of its properties, where this frame is a record or the `super` of one.
    ///
    /// The session's encoder of the record's type holds them.
    @exclusivity(unchecked) var typeInfo: Unmanaged<RecordTypeInfo>?

    /// Whether the parent is another frame than the one below on the stack.
    @exclusivity(unchecked) var hasOtherParent = false

    /// Whether this is the nested frame of an ignored property: nothing in it is encoded.
    var isIgnored = false

    init(session: EncodingSession) {
        self.session = session
        super.init(keyStrategy: session.options.keyStrategy, session.options.embeddingStrategy)
    }

    /// Whether the keys that are written here are a record's own properties.
    var isOwnRecord: Bool { content == .keyed && typeInfo != nil && ownRecordPosition >= 0 }

    /// Whether the value that is encoded now is a record's own property.
    var isOwnProperty: Bool { isOwnRecord && isProperty(currentKey) }

    override var recordID: Record.ID? {
        // After the call the records are gone, but user code may have kept this frame.
        recordPosition >= 0 && recordPosition < session.records.count ? session.records[recordPosition].id : nil
    }

    /// Makes the frame ready for another value.
    ///
    /// - Parameters:
    ///   - depth: The number of levels from the root to this one.
    ///   - shape: Where the names of the fields begin in the session's tree.
    ///   - record: The position of the record that the value is, or a negative number.
    ///   - typeInfo: What the record says of its properties.
    @inline(__always)
    func reopen(depth: Int, shape: Unmanaged<ShapeNode>?, record: Int, _ typeInfo: Unmanaged<RecordTypeInfo>?) {
        self.depth = depth
        content = .undecided
        position = 0
        forgetKeys()
        recordPosition = record
        isFlat = record >= 0
        self.typeInfo = typeInfo
        self.shape = shape
        if !names.isEmpty {
            names = []
            positions = nil
        }
        if session.flattens { flat = FlatFrame() }
        // Left over where an error ended the value before.
        if !values.isEmpty { dropValues() }
    }

    /// How many values there may be room for between two of the values that a frame is used for.
    static let mostKeptValues = 256

    func dropValues() { values.removeAll(keeping: Self.mostKeptValues) }

    override var currentKey: (any CodingKey)? {
        switch content {
        case .list: PathKey(index: values.count + position)
        case .dictionary: super.currentKey ?? names.last.map(PathKey.init(stringValue:))
        case .undecided, .keyed, .single, .closed: super.currentKey
        }
    }

    /// Releases what belongs to earlier values.
    func reset() {
        forgetValue()
        // The session sets it again.
        if hasOtherParent { parent = nil }
        dropValues()
        if !names.isEmpty { names = [] }
        positions = nil
    }

    func close() {
        content = .closed
        shape = nil
        values.removeAll(keeping: 0)
        if !children.isEmpty { closeDescendants() }
    }

    // Without recursion: containers can be nested in a loop, far beyond what a stack holds.
    func closeDescendants() {
        session.mayBeHeld = true
        for frame in descendants.reversed() + [self] {
            for position in frame.children.indices {
                frame.detachIfHeld(childAt: position)
                let child = frame.children[position].encoder.frame
                child.content = .closed
                child.shape = nil
                child.values.removeAll(keeping: 0)
                child.parent = nil
            }
            frame.children = []
            frame.childPositions = [:]
        }
    }

    /// Detaches a nested frame if user code still holds it.
    func detachIfHeld(childAt position: Int) {
        let isFree =
            isKnownUniquelyReferenced(&children[position].encoder) && children[position].encoder.isContainerFree
        if isFree { return }
        session.mayBeHeld = true
        children[position].encoder.frame.detach()
    }

    /// The nested levels, each before those that are nested in it.
    var descendants: [EncodingFrame] {
        var levels = children.map(\.encoder.frame)
        var next = 0
        while next < levels.count {
            levels += levels[next].children.map(\.encoder.frame)
            next += 1
        }
        return levels
    }
}

// MARK: Kinds

extension EncodingFrame {
    /// Makes this a frame of a kind, or finds that it is one of another kind.
    ///
    /// - Returns: Whether the frame is of that kind now. If not, the session has failed.
    func become(_ kind: Content) -> Bool {
        if content == .undecided { content = kind == .keyed && keysAreData ? .dictionary : kind }
        if content == kind || content == .dictionary && kind == .keyed { return true }
        if content != .closed {
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "a value cannot be written as \(kind) and as \(content)\(place().recordSuffix)")
            session.fail(EncodingError.invalidValue(content, context))
        }
        return false
    }

    /// The error for a write to a frame whose value is complete.
    func closedError(_ value: Any) -> any Error {
        let context = EncodingError.Context(
            codingPath: codingPath, debugDescription: "the container is used after its value was encoded")
        return session.failure ?? EncodingError.invalidValue(value, context)
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
    @inline(__always)
    func put<Key: CodingKey>(_ value: Record.Value, forKey key: Key) throws {
        if ByteKey.fits(Key.self), let node = shape,
            let target = node._withUnsafeGuaranteedRef({ $0.target(of: ShapeTree.keyID(of: key)) })
        {
            shape = target
            values.append(value)
        } else {
            try putUnpredicted(value, key)
        }
    }

    @inline(never)
    private func putUnpredicted<Key: CodingKey>(_ value: Record.Value, _ key: Key) throws {
        guard content != .closed else { throw closedError(value) }
        // A value that was refused has left its name.
        if let failure = session.failure { throw failure }
        switch try slot(for: key) {
        case .ignored: break
        case .new(let isAdjusted):
            values.append(isAdjusted ? try adjusted(value, key) : value)
        case .written(let position, let isAdjusted):
            let value = isAdjusted ? try adjusted(value, key) : value
            guard values[position] == value, childPositions[position] == nil else {
                throw writtenTwice(key)
            }
        }
    }

    /// Stores a property that is no ordinary field.
    func putOutcome(_ value: Record.Value, forKey key: some CodingKey) throws {
        let outcome = session.outcome
        session.outcome = .value
        switch outcome {
        case .value: try put(value, forKey: key)
        case .absent: try noteAbsent(key)
        case .embedded:
            let count = values.count
            try put(value, forKey: key)
            if values.count > count { flat.embedded.append(count) }
        }
    }

    /// Whether a key's value is left out.
    ///
    /// Asked only where encoding the value could do something.
    @inline(__always)
    func ignores(_ key: some CodingKey) -> Bool {
        guard let typeInfo, typeInfo._withUnsafeGuaranteedRef({ $0.hasIgnored }) else { return false }
        return typeInfo.takeUnretainedValue().ignored.contains(key.stringValue)
    }

    enum Slot {
        case ignored
        case new(isAdjusted: Bool)
        case written(at: Int, isAdjusted: Bool)
    }

    /// Where the value of a key belongs.
    ///
    /// A new slot's name is noted; its value must follow.
    func slot<Key: CodingKey>(for key: Key) throws -> Slot {
        let keyID = ByteKey.fits(Key.self) ? ShapeTree.keyID(of: key) : nil
        let node = shape?.takeUnretainedValue()
        if let node, let keyID, let slot = knownSlot(for: key, keyID, behind: node) { return slot }
        if ignores(key) {
            if let node, let keyID { session.shapes.addIgnored(from: node, by: keyID, call: session.call) }
            return .ignored
        }
        let isAdjusted = typeInfo?.takeUnretainedValue().adjusts(key) ?? false
        let name = fieldName(of: key)
        try claim(name, for: key)
        if name.isEmpty, recordID != nil {
            let reason = "a field's name must not be empty"
            throw session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
        }
        if let position = position(of: name) { return .written(at: position, isAdjusted: isAdjusted) }
        if let node, let keyID,
            let target = session.shapes.add(
                name, isAdjusted: isAdjusted, from: node, by: keyID, call: session.call)
        {
            shape = Unmanaged.passUnretained(target)
        } else {
            leaveTree()
            append(name: name)
        }
        return .new(isAdjusted: isAdjusted)
    }

    /// Where the value of a key belongs that came behind a node before.
    private func knownSlot<Key: CodingKey>(
        for key: Key, _ keyID: ShapeTree.KeyID, behind node: ShapeNode
    ) -> Slot? {
        guard let edge = node.edges.firstIndex(where: { $0.key == keyID }) else { return nil }
        let target = node.edges[edge].target?.takeUnretainedValue()
        if node.edges[edge].call != session.call {
            // Keys are not renamed here: sessions that rename them serve one call.
            guard target.map({ $0.name.hasSameBytes(as: key.stringValue) && !ignores(key) }) ?? ignores(key) else {
                node.edges.remove(at: edge)
                return nil
            }
            node.edges[edge].call = session.call
        }
        guard let target else { return .ignored }
        session.shapes.predict(target, from: node, by: keyID)
        shape = Unmanaged.passUnretained(target)
        return .new(isAdjusted: target.isAdjusted)
    }

    private func position(of name: String) -> Int? {
        if let shape { return shape.takeUnretainedValue().position(of: name) }
        if let positions { return positions[name] }
        return names.firstIndex(of: name)
    }

    private func leaveTree() {
        guard let node = shape?.takeUnretainedValue() else { return }
        (names, positions) = (node.names?.names ?? [], node.names?.positions)
        shape = nil
    }

    private func append(name: String) {
        names.append(name)
        if positions != nil {
            positions?[name] = names.count - 1
        } else {
            positions = NameList.positions(of: names)
        }
    }

    /// Writes an entry of a dictionary, whose keys are known to differ.
    @inline(__always)
    func putEntry(_ name: String, _ value: () throws -> Record.Value) rethrows {
        shape = nil
        append(name: name)
        values.append(try value())
    }

    /// The value of a property about whose values the record says more.
    func adjusted(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        guard let typeInfo = typeInfo?.takeUnretainedValue() else { return value }
        let value = typeInfo.locations.contains(key.stringValue) ? try location(value, key) : value
        return typeInfo.cascading.contains(key.stringValue) ? try cascading(value, key) : value
    }

    /// A value whose references take the record with them.
    private func cascading(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        if case .null = value { return value }
        guard value.mayHoldReferences else {
            throw invalid(value, key, "a cascading property must hold references, not \(value.kind)")
        }
        return value.mapLeaves { leaf in
            guard case .reference(var reference) = leaf else { return leaf }
            reference.action = .deleteSelf
            return .reference(reference)
        }
    }

    /// The string of a location property, or its list of strings, as locations.
    private func location(_ value: Record.Value, _ key: any CodingKey) throws -> Record.Value {
        switch value {
        case .null, .location:
            return value
        case .string(let text):
            let location: Location
            do { location = try Location(text) } catch { throw invalid(text, key, "\(error)") }
            guard location.description == text else {
                throw invalid(text, key, "the location '\(text)' would read back as '\(location)': write it so")
            }
            return .location(location)
        case .list(let texts):
            return .list(try texts.map { try self.location($0, key) })
        case .bool, .int, .double, .date, .bytes, .reference, .map, .serverTimestamp:
            throw invalid(value, key, "a location property must hold strings, not \(value.kind)")
        }
    }

    private func invalid(_ value: Any, _ key: any CodingKey, _ reason: String) -> any Error {
        // The field's name is taken, so there is no going on without the value.
        let context = EncodingError.Context(
            codingPath: codingPath + [key], debugDescription: reason + place(of: key).recordSuffix)
        return session.fail(EncodingError.invalidValue(value, context))
    }

    /// Notes a property that has no value, whose field another property must not take.
    @inline(__always)
    func noteAbsent(_ key: some CodingKey) throws {
        if session.flattens { noteAbsentField(key) }
        if session.options.keyStrategy.renames, !ignores(key) { try claim(fieldName(of: key), for: key) }
    }

    /// Makes sure that no other key of the same type has this name: it would read the wrong value.
    private func claim<Key: CodingKey>(_ name: String, for key: Key) throws {
        // Types of keys that are no enumeration serve several types, each with names of its own.
        guard session.options.keyStrategy.renames, ByteKey.fits(Key.self) else { return }
        let owner = session.claimedNames[ObjectIdentifier(Key.self), default: [:]][name]
        if let owner, owner != key.stringValue {
            let reason = "it and '\(owner)' give the same field '\(name)'"
            throw session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
        }
        if owner == nil { session.claimedNames[ObjectIdentifier(Key.self), default: [:]][name] = key.stringValue }
    }

    func writtenTwice(_ key: any CodingKey) -> any Error {
        let reason = "two different values are written to the field of the key '\(key.stringValue)'"
        return session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }
}

// MARK: Nested containers

extension EncodingFrame {
    /// The nested frame for a key: a new one, or the one that an earlier call returned.
    func child(forKey key: some CodingKey, _ kind: Content) -> ValueEncoder {
        do {
            guard content != .closed, !isIgnored else { return makeChild(at: nil, key: key) }
            switch try slot(for: key) {
            case .ignored:
                let child = makeChild(at: nil, key: key)
                child.frame.isIgnored = true
                return child
            case .new(let isAdjusted):
                values.append(.null)
                return makeChild(at: values.count - 1, key: key, isAdjusted: isAdjusted)
            case .written(let position, _):
                let child = childPositions[position].map { children[$0] }
                if let child, kind != .undecided, child.encoder.frame.content == kind { return child.encoder }
                throw writtenTwice(key)
            }
        } catch {
            session.fail(error)
            return makeChild(at: nil, key: key)
        }
    }

    /// A nested frame at the end of the list.
    func appendChild() -> ValueEncoder {
        let key = PathKey(index: values.count)
        guard content == .list else { return makeChild(at: nil, key: key) }
        values.append(.null)
        return makeChild(at: values.count - 1, key: key)
    }

    /// The encoder that nested containers and super encoders of this frame write to.
    private func makeChild(at position: Int?, key: any CodingKey, isAdjusted: Bool = false) -> ValueEncoder {
        let child = EncodingFrame(session: session)
        child.parent = self
        child.keyInParent = key
        child.isDetached = true
        child.depth = depth + 1
        child.isIgnored = isIgnored
        child.isFlat = session.flattens && flattensProperties
        let encoder = ValueEncoder(frame: child)
        if content == .closed {
            child.close()
        } else if child.depth > session.options.maximumDepth {
            session.fail(RecordError.depthLimitExceeded(session.options.maximumDepth, context: child.place()))
            child.close()
        } else if let position, !isIgnored {
            childPositions[position] = children.count
            children.append(Child(position: position, encoder: encoder, adjustedKey: isAdjusted ? key : nil))
            return encoder
        }
        session.mayBeHeld = true
        return encoder
    }
}

// MARK: Finishing

extension EncodingFrame {
    /// All that was written, as the fields of a record.
    @inline(__always)
    func takeFields() -> Record.Fields {
        finishChildren()
        switch content {
        case .keyed, .dictionary: return takeNamedValues()
        case .list: return [RecordTypeInfo.singleValueField: takeOwnValue()]
        case .single: return values.isEmpty ? [:] : [RecordTypeInfo.singleValueField: takeOwnValue()]
        case .undecided, .closed: return [:]
        }
    }

    /// All that was written, as a value in a field.
    func takeValue() -> Record.Value {
        finishChildren()
        return takeOwnValue()
    }

    private func takeOwnValue() -> Record.Value {
        switch content {
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
    @inline(never)
    private func failAsDecimal() {
        let key = PathKey(stringValue: Record.Fields.decimalMark)
        let reason = "a map with this name alone is a decimal number"
        session.fail(RecordError.invalidKey(key.stringValue, reason: reason, context: place(of: key)))
    }

    @inline(__always)
    private func takeValues() -> [Record.Value] { values.take(keeping: Self.mostKeptValues) }

    @inline(__always)
    private func takeNamedValues() -> Record.Fields {
        let fields = takeFieldsAsWritten()
        return flat.isEmpty ? fields : flattened(fields)
    }

    @inline(__always)
    private func takeFieldsAsWritten() -> Record.Fields {
        guard let shape else {
            return Record.Fields(FieldNames(NameList(names, positions: positions)), values: takeValues())
        }
        return shape._withUnsafeGuaranteedRef { Record.Fields($0.names, values: takeValues()) }
    }

    /// Puts the values of the nested levels in their places.
    @inline(__always)
    private func finishChildren() {
        if !children.isEmpty { finishDescendants() }
    }

    private func finishDescendants() {
        for frame in descendants.reversed() { frame.takeChildren() }
        takeChildren()
    }

    private func takeChildren() {
        for position in children.indices {
            detachIfHeld(childAt: position)
            let child = children[position]
            let value = child.encoder.frame.takeOwnValue()
            if child.encoder.frame.isEmbedded(as: value) { flat.embedded.append(child.position) }
            child.encoder.frame.close()
            do {
                values[child.position] = try child.adjustedKey.map { try adjusted(value, $0) } ?? value
            } catch {
                session.fail(error)
            }
        }
        children = []
        childPositions = [:]
    }
}
