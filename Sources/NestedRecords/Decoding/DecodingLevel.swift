/// One open level of a value that is being decoded: the place its containers read from.
final class DecodingLevel: CodingLevel {
    enum Source {
        /// A record, whose fields are in ``DecodingLevel/fields``.
        case record
        /// A value in a field.
        case value(Record.Value)
        /// A record that is not there yet: reading it only tells which keys its type has.
        case unfetched(Record.ID)
    }

    let session: DecodingSession

    @exclusivity(unchecked) private(set) var source = Source.record

    /// The fields that keyed containers read.
    @exclusivity(unchecked) var fields = Record.Fields()

    /// Where the fields of the keys of a type are, for the type of keys that was used last.
    @exclusivity(unchecked) private var slots: SlotTable?

    /// Whether the slots belong to the value that is open now.
    @exclusivity(unchecked) private var hasSlots = false

    /// What the record says of its properties, where this level is a record or the `super` of one.
    @exclusivity(unchecked) var facts: RecordFacts?

    /// Whether this is a dictionary, whose keys are data and not names of properties.
    @exclusivity(unchecked) var keysAreData = false

    /// Whether this is a list, and the position of the next element.
    @exclusivity(unchecked) var isList = false
    @exclusivity(unchecked) var nextIndex = 0

    /// The next entry of a dictionary.
    @exclusivity(unchecked) var nextName: String?

    init(session: DecodingSession) {
        self.session = session
    }

    override var recordID: Record.ID? {
        if case .unfetched(let id) = source { return id }
        return recordPosition < 0 ? nil : session.records[recordPosition].id
    }

    /// Makes the level ready for another value.
    @inline(__always)
    func reopen(in parent: DecodingLevel?, _ source: Source, record: Int, _ facts: RecordFacts?) {
        if self.parent !== parent { self.parent = parent }
        depth = parent.map { $0.depth + 1 } ?? 1
        self.source = source
        if record >= 0 { fields = session.records[record].fields }
        recordPosition = record
        if self.facts !== facts { self.facts = facts }
        hasSlots = false
        hasKey = false
        keysAreData = false
        isList = false
        nextIndex = 0
        if nextName != nil { nextName = nil }
    }

    override var currentKey: (any CodingKey)? {
        if isList { return PathKey(index: nextIndex) }
        return nextName.map(PathKey.init(stringValue:)) ?? super.currentKey
    }

    /// A level for a nested container or a super decoder.
    func makeChild(_ value: Record.Value, key: any CodingKey) throws -> ValueDecoder {
        let child = DecodingLevel(session: session)
        child.reopen(in: self, .value(value), record: -1, nil)
        child.keyInParent = key
        guard child.depth <= session.options.maximumDepth else {
            throw RecordError.depthLimitExceeded(session.options.maximumDepth, place: child.place())
        }
        return ValueDecoder(level: child)
    }
}

// MARK: Kinds

extension DecodingLevel {
    /// Makes the fields ready for a keyed container.
    func openKeyed<Key: CodingKey>(_: Key.Type) throws {
        switch source {
        case .record:
            if let facts, facts.seenKeys != ObjectIdentifier(Key.self) { session.learnKeys(Key.self, facts, self) }
        case .value(.map(let fields)):
            self.fields = fields
        case .value(let value):
            throw session.mismatch([String: Any].self, value, in: self)
        case .unfetched:
            if let facts { session.learnKeys(Key.self, facts, self) }
            throw UnfetchedRecord()
        }
    }

    /// The elements for an unkeyed container.
    func openUnkeyed() throws -> [Record.Value] {
        guard case .list(let values) = try singleValue(of: [Any].self) else {
            throw session.mismatch([Any].self, try singleValue(of: [Any].self), in: self)
        }
        return values
    }

    /// The value of a single-value container.
    ///
    /// A record keeps it in a field of its own.
    func singleValue(of type: Any.Type) throws -> Record.Value {
        switch source {
        case .value(let value):
            return value
        case .record:
            session.learn(RecordFacts.singleValueField, of: recordID, includingLinks: false)
            if let value = fields[RecordFacts.singleValueField] { return value }
            let reason =
                "the record has no field '\(RecordFacts.singleValueField)', where single values and lists are kept"
            throw session.placed(
                DecodingError.valueNotFound(type, .init(codingPath: codingPath, debugDescription: reason)), self)
        case .unfetched:
            session.learn(RecordFacts.singleValueField, of: recordID, includingLinks: false)
            throw UnfetchedRecord()
        }
    }
}

// MARK: Fields

extension DecodingLevel {
    /// The position of a key's field, nil if there is none.
    @inline(__always)
    func position<Key: CodingKey>(of key: Key) -> Int? {
        if hasSlots, ByteKey.fits(Key.self), let slots, slots.keyType == ObjectIdentifier(Key.self) {
            let slot = slots.slots[Int(ByteKey.byte(of: key))]
            if slot != SlotTable.unknown { return slot == SlotTable.absent ? nil : Int(slot) }
        }
        return findPosition(of: key)
    }

    @inline(never)
    private func findPosition<Key: CodingKey>(of key: Key) -> Int? {
        guard ByteKey.fits(Key.self), !keysAreData, let slots = slotTable(for: Key.self) else {
            return lookUpPosition(of: key)
        }
        let byte = Int(ByteKey.byte(of: key))
        if slots.slots[byte] == SlotTable.unknown {
            slots.slots[byte] = lookUpPosition(of: key).map { Int16(truncatingIfNeeded: $0) } ?? SlotTable.absent
        }
        return slots.slots[byte] == SlotTable.absent ? nil : Int(slots.slots[byte])
    }

    private func lookUpPosition(of key: some CodingKey) -> Int? {
        ignores(key) ? nil : fields.position(of: fieldName(of: key))
    }

    private func slotTable<Key: CodingKey>(for type: Key.Type) -> SlotTable? {
        if !hasSlots || slots?.keyType != ObjectIdentifier(Key.self) {
            slots = session.slotTable(for: type, facts, fields.names)
            hasSlots = slots != nil
        }
        return slots
    }

    private func ignores(_ key: some CodingKey) -> Bool {
        facts?.ignored.contains(key.stringValue) ?? false
    }

    private func fieldName(of key: some CodingKey) -> String {
        keysAreData ? key.stringValue : session.options.keyStrategy.fieldName(for: key.stringValue)
    }

    /// The position of a key's field.
    @inline(__always)
    func requiredPosition<Key: CodingKey>(of key: Key) throws -> Int {
        if let position = position(of: key) { return position }
        throw missingField(key)
    }

    @inline(never)
    private func missingField(_ key: some CodingKey) -> any Error {
        let reason =
            ignores(key)
            ? "the property '\(key.stringValue)' is ignored, so it must be optional or have a default"
            : "there is no field '\(fieldName(of: key))'"
        let error = DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
        enter(key)
        return session.placedAnew(error, self)
    }

    /// The keys of a type that fields belong to.
    func keys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        fields.names.compactMap { name in
            let key =
                keysAreData
                ? Key(stringValue: name) : session.options.keyStrategy.key(Key.self, forField: name)
            return key.flatMap { ignores($0) ? nil : $0 }
        }
    }

    @inline(__always)
    func decodeScalar<Value: FieldScalar, Key: CodingKey>(_: Value.Type, forKey key: Key) throws -> Value {
        let position = try requiredPosition(of: key)
        if let value = Value.read(fields.values[position]) { return value }
        enter(key)
        throw session.mismatch(Value.self, fields.values[position], in: self, key)
    }

    @inline(__always)
    func decodeScalarIfPresent<Value: FieldScalar, Key: CodingKey>(_: Value.Type, forKey key: Key) throws -> Value? {
        guard let position = position(of: key) else { return nil }
        if let value = Value.read(fields.values[position]) { return value }
        if case .null = fields.values[position] { return nil }
        enter(key)
        throw session.mismatch(Value.self, fields.values[position], in: self, key)
    }

    /// Makes this level the parent of the value that is decoded next.
    @inline(__always)
    func decodingNested<Result>(_ body: () throws -> Result) rethrows -> Result {
        if keyInParent == nil { return try body() }
        session.nestedParent = self
        defer { session.nestedParent = nil }
        return try body()
    }
}
