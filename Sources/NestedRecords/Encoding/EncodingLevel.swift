/// One open level of a value that is being encoded: the place its containers write to.
final class EncodingLevel: CodingLevel {
    enum Content {
        case undecided
        case keyed
        /// Keyed by the keys of a dictionary, which are data.
        case dictionary
        case list
        case single
        /// The value is done; who kept a container can write no more.
        case closed
    }

    let session: EncodingSession

    @exclusivity(unchecked) private(set) var content = Content.undecided

    /// Whether this is a dictionary, whose keys are data and not names of properties.
    @exclusivity(unchecked) var keysAreData = false

    /// The values of the fields, the elements of the list, or the single value.
    @exclusivity(unchecked) var values: [Record.Value] = []

    /// The names of the fields: a node of the session's tree, or negative when they are in ``names``.
    @exclusivity(unchecked) private var shape = -1
    @exclusivity(unchecked) private var names: [String] = []
    @exclusivity(unchecked) private var positions: [String: Int]?

    /// Nested containers and super encoders, with the positions that wait for their values.
    @exclusivity(unchecked) private var children: [(position: Int, encoder: ValueEncoder)] = []

    /// What the record says of its properties, where this level is a record or the `super` of one.
    @exclusivity(unchecked) var facts: RecordFacts?

    /// Whether this is the nested level of an ignored property: nothing in it is encoded.
    private(set) var isIgnored = false

    init(session: EncodingSession) {
        self.session = session
    }

    override var recordID: Record.ID? { recordPosition < 0 ? nil : session.records[recordPosition].id }

    /// Makes the level ready for another value.
    ///
    /// - Parameters:
    ///   - parent: The level that the value stands in.
    ///   - shape: Where the names of the fields begin in the session's tree.
    ///   - count: The number of values to expect.
    ///   - record: The position of the record that the value is, or a negative number.
    ///   - facts: What the record says of its properties.
    @inline(__always)
    func reopen(in parent: EncodingLevel?, shape: Int, reserving count: Int, record: Int, _ facts: RecordFacts?) {
        if self.parent !== parent { self.parent = parent }
        depth = parent.map { $0.depth + 1 } ?? 1
        content = .undecided
        keysAreData = false
        hasKey = false
        recordPosition = record
        if self.facts !== facts { self.facts = facts }
        self.shape = shape
        if !names.isEmpty {
            names = []
            positions = nil
        }
        values.reserveCapacity(count)
    }

    /// The encoder that nested containers and super encoders of this level write to.
    private func makeChild(at position: Int?, key: any CodingKey) -> ValueEncoder {
        let child = EncodingLevel(session: session)
        child.parent = self
        child.keyInParent = key
        child.depth = depth + 1
        child.isIgnored = isIgnored
        let encoder = ValueEncoder(level: child)
        if content == .closed {
            child.close()
        } else if child.depth > session.options.maximumDepth {
            session.fail(RecordError.depthLimitExceeded(session.options.maximumDepth, place: child.place()))
            child.close()
        } else if let position {
            children.append((position, encoder))
        }
        return encoder
    }

    override var currentKey: (any CodingKey)? {
        switch content {
        case .list: PathKey(index: values.count)
        case .dictionary: names.last.map(PathKey.init(stringValue:)) ?? super.currentKey
        case .undecided, .keyed, .single, .closed: super.currentKey
        }
    }

    func close() {
        content = .closed
        shape = -1
        children = []
        values = []
    }
}

// MARK: Kinds

extension EncodingLevel {
    /// Makes this a level of a kind, or finds that it is one of another kind.
    ///
    /// - Returns: Whether the level is of that kind now. If not, the session has failed.
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

    /// The error for whoever writes to a level that is done.
    func closedError(_ value: Any) -> any Error {
        let context = EncodingError.Context(
            codingPath: codingPath, debugDescription: "the container is used after its value was encoded")
        return session.failure ?? EncodingError.invalidValue(value, context)
    }
}

extension EncodingLevel.Content: CustomStringConvertible {
    var description: String {
        switch self {
        case .undecided: "nothing"
        case .keyed: "a keyed container"
        case .dictionary: "a dictionary"
        case .list: "an unkeyed container"
        case .single: "a single value"
        case .closed: "a value that is done"
        }
    }
}

// MARK: Writing fields

extension EncodingLevel {
    @inline(__always)
    func put<Key: CodingKey>(_ value: Record.Value, forKey key: Key) throws {
        if shape >= 0, ByteKey.fits(Key.self), session.shapes.nodes[shape].lastKey == ShapeTree.keyID(of: key) {
            shape = session.shapes.nodes[shape].lastTarget
            values.append(value)
        } else {
            try putUnpredicted(value, key)
        }
    }

    @inline(never)
    private func putUnpredicted<Key: CodingKey>(_ value: Record.Value, _ key: Key) throws {
        guard content != .closed else { throw closedError(value) }
        switch try slot(for: key) {
        case .ignored: break
        case .new(let isLocation):
            values.append(isLocation ? try location(value, key) : value)
        case .written(let position, let isLocation):
            let value = isLocation ? try location(value, key) : value
            guard values[position] == value, !children.contains(where: { $0.position == position }) else {
                throw writtenTwice(key)
            }
        }
    }

    /// Whether a key's value is left out.
    ///
    /// Asked only where encoding the value could do something.
    @inline(__always)
    func ignores(_ key: some CodingKey) -> Bool {
        guard let facts, !facts.ignored.isEmpty else { return false }
        return facts.ignored.contains(key.stringValue)
    }

    private enum Slot {
        case ignored
        case new(isLocation: Bool)
        case written(at: Int, isLocation: Bool)
    }

    /// Where the value of a key belongs.
    ///
    /// A new slot's name is noted; its value must follow.
    private func slot<Key: CodingKey>(for key: Key) throws -> Slot {
        let keyID = ByteKey.fits(Key.self) ? ShapeTree.keyID(of: key) : nil
        if shape >= 0, let keyID, let target = session.shapes.target(from: shape, by: keyID) {
            if target == ShapeTree.ignored { return .ignored }
            shape = target
            return .new(isLocation: session.shapes.nodes[target].isLocation)
        }
        if ignores(key) {
            if shape >= 0, let keyID { session.shapes.addIgnored(from: shape, by: keyID) }
            return .ignored
        }
        let isLocation = facts?.locations.contains(key.stringValue) ?? false
        let name =
            content == .dictionary
            ? key.stringValue : session.options.keyStrategy.fieldName(for: key.stringValue)
        if name.isEmpty, recordID != nil {
            let reason = "a field's name must not be empty"
            throw session.fail(RecordError.invalidKey(key.stringValue, reason: reason, place: place(of: key)))
        }
        if let position = position(of: name) { return .written(at: position, isLocation: isLocation) }
        if shape >= 0, let keyID,
            let target = session.shapes.add(name, isLocation: isLocation, from: shape, by: keyID)
        {
            shape = target
        } else {
            leaveTree()
            append(name: name)
        }
        return .new(isLocation: isLocation)
    }

    private func position(of name: String) -> Int? {
        if shape >= 0 { return session.shapes.position(of: name, at: shape) }
        if let positions { return positions[name] }
        return names.firstIndex(of: name)
    }

    private func leaveTree() {
        guard shape >= 0 else { return }
        (names, positions) = session.shapes.names(at: shape)
        shape = -1
    }

    private func append(name: String) {
        names.append(name)
        if positions != nil {
            positions?[name] = names.count - 1
        } else {
            positions = Record.Fields.positions(of: names)
        }
    }

    /// Writes an entry of a dictionary, whose keys are known to differ.
    @inline(__always)
    func putEntry(_ name: String, _ value: () throws -> Record.Value) rethrows {
        shape = -1
        append(name: name)
        values.append(try value())
    }

    /// The text of a location property, or its list of texts, as locations.
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
        case .bool, .int, .double, .date, .bytes, .reference, .map:
            throw invalid(value, key, "a location property must hold texts, not \(value.kind)")
        }
    }

    private func invalid(_ value: Any, _ key: any CodingKey, _ reason: String) -> any Error {
        EncodingError.invalidValue(
            value, EncodingError.Context(codingPath: codingPath + [key], debugDescription: reason))
    }

    private func writtenTwice(_ key: any CodingKey) -> any Error {
        let reason = "two different values are written to the field of the key '\(key.stringValue)'"
        return session.fail(RecordError.invalidKey(key.stringValue, reason: reason, place: place(of: key)))
    }
}

// MARK: Nested levels

extension EncodingLevel {
    /// The nested level under a key, made or shared with those who asked before.
    func child(forKey key: some CodingKey, _ kind: Content) -> ValueEncoder {
        do {
            guard content != .closed else { return makeChild(at: nil, key: key) }
            switch try slot(for: key) {
            case .ignored:
                let child = makeChild(at: nil, key: key)
                child.level.isIgnored = true
                return child
            case .new:
                values.append(.null)
                return makeChild(at: values.count - 1, key: key)
            case .written(let position, _):
                let child = children.first { $0.position == position }
                if let child, kind != .undecided, child.encoder.level.content == kind { return child.encoder }
                throw writtenTwice(key)
            }
        } catch {
            session.fail(error)
            return makeChild(at: nil, key: key)
        }
    }

    /// A nested level at the end of the list.
    func appendChild() -> ValueEncoder {
        let key = PathKey(index: values.count)
        guard content == .list else { return makeChild(at: nil, key: key) }
        values.append(.null)
        return makeChild(at: values.count - 1, key: key)
    }
}

// MARK: Finishing

extension EncodingLevel {
    /// All that was written, as the fields of a record.
    @inline(__always)
    func takeFields() -> Record.Fields {
        finishChildren()
        var values: [Record.Value] = []
        swap(&values, &self.values)
        if content == .keyed || content == .dictionary {
            guard shape >= 0 else { return Record.Fields(names: names, values: values, positions: positions) }
            let (names, positions) = session.shapes.names(at: shape)
            return Record.Fields(names: names, values: values, positions: positions)
        }
        switch content {
        case .list: return [RecordFacts.singleValueField: .list(values)]
        case .single:
            guard let value = values.first else { return [:] }
            return [RecordFacts.singleValueField: value]
        case .undecided, .keyed, .dictionary, .closed: return [:]
        }
    }

    /// All that was written, as a value in a field.
    func takeValue() -> Record.Value {
        switch content {
        case .keyed, .dictionary, .undecided, .closed: return .map(takeFields())
        case .list:
            finishChildren()
            var values: [Record.Value] = []
            swap(&values, &self.values)
            return .list(values)
        case .single:
            finishChildren()
            defer { values.removeAll(keepingCapacity: true) }
            return values.first ?? .map([:])
        }
    }

    @inline(__always)
    private func finishChildren() {
        if children.isEmpty { return }
        for (position, encoder) in children {
            values[position] = encoder.level.takeValue()
            encoder.level.close()
        }
        children = []
    }
}

extension RecordPlace {
    /// The record and the chain without the coding path, which coding errors tell by themselves.
    var recordSuffix: String {
        let place = RecordPlace(record: record, field: field, chain: chain).description
        return place.isEmpty ? "" : ", \(place)"
    }
}

extension Record.Value {
    /// The name of this value's kind, for errors.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .int: "an integer"
        case .double: "a number"
        case .string: "a text"
        case .date: "a date"
        case .bytes: "bytes"
        case .location: "a location"
        case .reference(let reference): "a reference to \(reference.id)"
        case .list: "a list"
        case .map: "a map"
        }
    }
}
