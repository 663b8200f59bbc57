/// One open frame of a value that is being decoded: the place its containers read from.
final class DecodingFrame: CodingFrame {
    enum Source {
        /// A record, whose fields are in ``DecodingFrame/fields``.
        case record
        /// A value in a field.
        case value(Record.Value)
        /// A record that is not fetched yet: reading it only shows which keys its type has.
        case unfetched(Record.ID)
    }

    let session: DecodingSession

    @exclusivity(unchecked) private(set) var source = Source.record

    /// The fields that keyed containers read, unless they are a record's.
    @exclusivity(unchecked) private var ownFields = Record.Fields()

    /// The fields that keyed containers read, where they are stored.
    ///
    /// The session holds its records, and this frame the session and its own fields.
    @exclusivity(unchecked) private(set) var storedFields = FieldsInPlace() {
        // Mostly the value before had the same type and shape.
        didSet { hasSlots = storedFields.shape == slotShape && slotTypeInfo == UnsafeRawPointer(typeInfo?.toOpaque()) }
    }

    /// Where the fields of the keys of a type are, for the type of keys that was used last, and what the table is for.
    ///
    /// The session holds the table.
    @exclusivity(unchecked) private(set) var slots: Unmanaged<SlotTable>?
    @exclusivity(unchecked) private(set) var slotKeyType: ObjectIdentifier?
    @exclusivity(unchecked) private var slotTypeInfo: UnsafeRawPointer?
    @exclusivity(unchecked) private var slotShape: ObjectIdentifier?

    /// Whether the table is for the fields that are read now.
    @exclusivity(unchecked) private(set) var hasSlots = false

    /// What the record says of its properties, where this frame is a record or the `super` of one.
    ///
    /// The session's decoder of the record's type holds them.
    @exclusivity(unchecked) var typeInfo: Unmanaged<RecordTypeInfo>?

    /// Whether the parent is another frame than the one below on the stack.
    @exclusivity(unchecked) var hasOtherParent = false

    /// Whether this is a list, and the position of the next element.
    @exclusivity(unchecked) var isList = false
    @exclusivity(unchecked) var nextIndex = 0

    /// The next entry of a dictionary.
    @exclusivity(unchecked) var nextName: String?

    init(session: DecodingSession) {
        self.session = session
        super.init(keyStrategy: session.options.keyStrategy, session.options.embeddingStrategy)
    }

    /// Whether the keys that are read here are a record's own properties.
    var isOwnRecord: Bool { typeInfo != nil && ownRecordPosition >= 0 }

    /// Whether the value that is decoded now is a record's own property.
    var isOwnProperty: Bool { isOwnRecord && isProperty(currentKey) }

    /// The metadata of the record whose properties are read here.
    var ownMetadata: Record.Metadata? { session.records[ownRecordPosition].metadata }

    override var recordID: Record.ID? {
        if case .unfetched(let id) = source { return id }
        return recordPosition < 0 ? nil : session.records[recordPosition].id
    }

    /// The fields that keyed containers read.
    var fields: Record.Fields {
        if case .record = source, recordPosition >= 0 { return session.records[recordPosition].fields }
        return ownFields
    }

    /// Makes the frame ready for another value.
    ///
    /// - Parameters:
    ///   - depth: The number of levels from the root to this one.
    ///   - source: Where the value comes from.
    ///   - record: The position of the record that the value is, or a negative number.
    ///   - typeInfo: What the record says of its properties.
    @inline(__always)
    func reopen(depth: Int, _ source: Source, record: Int, _ typeInfo: Unmanaged<RecordTypeInfo>?) {
        self.depth = depth
        self.source = source
        self.typeInfo = typeInfo
        if record >= 0 {
            storedFields = FieldsInPlace(session.record(at: record).pointee.fields)
        } else {
            hasSlots = false
        }
        recordPosition = record
        isFlat = typeInfo != nil && session.flattens
        forgetKeys()
        isDone = false
        isList = false
        nextIndex = 0
        if nextName != nil { nextName = nil }
    }

    /// Keeps a table for the fields that are read now and others of their shape.
    func keepSlots(_ table: SlotTable?, _ origin: SlotOrigin?) {
        slots = table.map(Unmanaged.passUnretained)
        slotKeyType = origin?.keyType
        slotTypeInfo = origin?.typeInfo
        slotShape = origin?.shape
        hasSlots = table != nil
    }

    /// Releases what belongs to earlier values.
    func reset() {
        forgetValue()
        // The session sets it again.
        if hasOtherParent { parent = nil }
        source = .record
        ownFields = Record.Fields()
        storedFields = FieldsInPlace()
        keepSlots(nil, nil)
        nextName = nil
    }

    override var currentKey: (any CodingKey)? {
        if isList { return PathKey(index: nextIndex) }
        return nextName.map(PathKey.init(stringValue:)) ?? super.currentKey
    }

    /// The decoders of nested containers and super decoders, until the value is done.
    @exclusivity(unchecked) private var children: [ValueDecoder] = []
    @exclusivity(unchecked) private var isDone = false

    /// A frame for a nested container or a super decoder.
    func makeChild(_ value: Record.Value, key: any CodingKey, isFlat: Bool = false) throws -> ValueDecoder {
        let child = DecodingFrame(session: session)
        child.reopen(depth: depth + 1, .value(value), record: -1, nil)
        child.parent = self
        child.isFlat = isFlat
        child.isDone = isDone
        child.keyInParent = key
        child.isDetached = true
        guard child.depth <= session.options.maximumDepth else {
            throw RecordError.depthLimitExceeded(session.options.maximumDepth, context: child.place())
        }
        let decoder = ValueDecoder(frame: child)
        // Afterwards it would never be released.
        if !isDone { children.append(decoder) }
        return decoder
    }

    /// Completes the value: releases the nested frames, and returns whether user code holds none of them.
    ///
    /// Without recursion: containers can be nested in a loop, far beyond what a stack holds.
    @inline(__always)
    func finish() -> Bool {
        isDone = true
        return children.isEmpty || releaseDescendants()
    }

    private func releaseDescendants() -> Bool {
        var areFree = true
        var open = [self]
        while let frame = open.popLast() {
            for position in frame.children.indices {
                let isFree =
                    isKnownUniquelyReferenced(&frame.children[position]) && frame.children[position].isContainerFree
                areFree = areFree && isFree
                frame.children[position].frame.isDone = true
                open.append(frame.children[position].frame)
            }
            frame.children = []
        }
        return areFree
    }
}

// MARK: Kinds

extension DecodingFrame {
    /// Makes the fields ready for a keyed container.
    func openKeyed<Key: CodingKey>(_: Key.Type) throws {
        switch source {
        case .record:
            if let typeInfo, typeInfo._withUnsafeGuaranteedRef({ $0.seenKeys }) != ObjectIdentifier(Key.self) {
                session.learnKeys(Key.self, typeInfo.takeUnretainedValue(), self)
            }
        case .value(.map(let fields)) where !fields.areDecimal:
            // The `super` of a record.
            if let typeInfo { typeInfo.takeUnretainedValue().names.note(Key.self, session.options.fieldNaming) }
            ownFields = fields
            storedFields = FieldsInPlace(ownFields)
        case .value(let value):
            throw session.mismatch([String: Any].self, value, in: self)
        case .unfetched:
            if let typeInfo { session.learnKeys(Key.self, typeInfo.takeUnretainedValue(), self) }
            throw UnfetchedRecord()
        }
    }

    /// Whether this is a record whose fields are read together as a single value: no field of it is meant.
    var isReadAsAWhole: Bool {
        guard case .record = source, currentKey == nil else { return false }
        return fields.position(of: RecordTypeInfo.singleValueField) == nil
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
            if let value = fields[RecordTypeInfo.singleValueField] {
                session.learn(RecordTypeInfo.singleValueField, of: recordID, includingLinks: false)
                return value
            }
            // Written by a type that handed its encoder on. What its fields are read as is not known here.
            session.learnAllFields(of: recordID)
            return .map(fields)
        case .unfetched:
            session.learn(RecordTypeInfo.singleValueField, of: recordID, includingLinks: false)
            throw UnfetchedRecord()
        }
    }
}

// MARK: Fields

extension DecodingFrame {
    /// The position of a key's field, nil if there is none.
    @inline(__always)
    func position<Key: CodingKey>(of key: Key) -> Int? {
        if hasSlots, ByteKey.fits(Key.self), slotKeyType == ObjectIdentifier(Key.self), let slots {
            let slot = slots._withUnsafeGuaranteedRef { $0[ByteKey.byte(of: key)] }
            if slot != SlotTable.unknown { return slot == SlotTable.absent ? nil : Int(slot) }
        }
        return findPosition(of: key)
    }

    @inline(never)
    private func findPosition<Key: CodingKey>(of key: Key) -> Int? {
        guard ByteKey.fits(Key.self), !hasData(as: Key.self), let slots = slotTable(for: Key.self) else {
            return lookUpPosition(of: key)
        }
        let byte = ByteKey.byte(of: key)
        if slots[byte] == SlotTable.unknown {
            let position = lookUpPosition(of: key, among: slots.names)
            guard let slot = Int16(exactly: position ?? Int(SlotTable.absent)) else { return position }
            slots[byte] = slot
        }
        return slots[byte] == SlotTable.absent ? nil : Int(slots[byte])
    }

    private func lookUpPosition(of key: some CodingKey) -> Int? {
        ignores(key) ? defaultPosition(of: key) : fields.position(of: fieldName(of: key))
    }

    private func lookUpPosition(of key: some CodingKey, among names: [String]) -> Int? {
        if names.count > NameList.longestScan { return lookUpPosition(of: key) }
        return ignores(key) ? defaultPosition(of: key) : names.firstIndex(of: fieldName(of: key))
    }

    /// The position of an ignored property's value, nil if it has none: below that of every field.
    private func defaultPosition(of key: some CodingKey) -> Int? {
        typeInfo?.takeUnretainedValue().defaults?.position(of: key.stringValue)
    }

    /// The field at a position, or an ignored property's value.
    @inline(__always)
    func field(at position: Int) -> UnsafePointer<Record.Value> {
        position < 0 ? defaultField(at: position) : storedFields[position]
    }

    @inline(never)
    private func defaultField(at position: Int) -> UnsafePointer<Record.Value> {
        guard let defaults = typeInfo?.takeUnretainedValue().defaults else {
            preconditionFailure("position out of range")
        }
        return defaults[position]
    }

    private func slotTable<Key: CodingKey>(for _: Key.Type) -> SlotTable? {
        let origin = SlotOrigin(
            keyType: ObjectIdentifier(Key.self), typeInfo: UnsafeRawPointer(typeInfo?.toOpaque()),
            shape: storedFields.shape)
        guard let table = session.slotTable(for: origin, names: { fields.shape }) else { return nil }
        keepSlots(table, origin)
        return table
    }

    func ignores(_ key: some CodingKey) -> Bool {
        guard let typeInfo, typeInfo._withUnsafeGuaranteedRef({ $0.hasIgnored }) else { return false }
        return typeInfo.takeUnretainedValue().ignored.contains(key.stringValue)
    }

    /// The position of a key's field.
    @inline(__always)
    func requiredPosition<Key: CodingKey>(of key: Key) throws -> Int {
        if let position = position(of: key) { return position }
        throw missingField(key)
    }

    @inline(never)
    func missingField(_ key: some CodingKey) -> any Error {
        let reason =
            ignores(key)
            ? "the property '\(key.stringValue)' is ignored, and 'ignoredProperties' has no value for it"
            : "there is no field '\(fieldName(of: key))'"
        let error = DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
        return session.placed(error, self)
    }

    /// The keys of a type that fields belong to.
    func keys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        let defaults = typeInfo?.takeUnretainedValue().defaults?.names ?? []
        return storedKeys(of: Key.self) + defaults.compactMap(Key.init(stringValue:))
    }

    private func storedKeys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        if hasData(as: Key.self) { return fields.names.compactMap(Key.init(stringValue:)).filter { !ignores($0) } }
        var seen: Set<String> = []
        return fields.names.compactMap { name in
            let key =
                isFlat
                ? session.fieldKeys.key(Key.self, forField: name)
                : session.options.keyStrategy.key(Key.self, forField: name)
            guard let key, !ignores(key), !isFlat || seen.insert(key.stringValue).inserted else { return nil }
            return key
        }
    }

    @inline(__always)
    func decodeScalar<Value: FieldScalar, Key: CodingKey>(_: Value.Type, forKey key: Key) throws -> Value {
        let field = field(at: try requiredPosition(of: key))
        if let value = Value.read(field.pointee) { return value }
        return try session.readLeniently(field.pointee, in: self, key)
    }

    @inline(__always)
    func decodeScalarIfPresent<Value: FieldScalar, Key: CodingKey>(_: Value.Type, forKey key: Key) throws -> Value? {
        guard let position = position(of: key) else { return nil }
        let field = field(at: position)
        if let value = Value.read(field.pointee) { return value }
        if case .null = field.pointee { return nil }
        return try session.readLeniently(field.pointee, in: self, key)
    }

    /// Makes this frame the parent of the value that is decoded next.
    @inline(__always)
    func decodingNested<Result>(_ body: () throws -> Result) rethrows -> Result {
        if !isDetached { return try body() }
        session.nestedParent = self
        defer { session.nestedParent = nil }
        return try body()
    }
}

// MARK: Embedded values

extension DecodingFrame {
    /// The fields of an embedded value that are spread over this frame, by their own names; nil if there are none.
    func embeddedFields<Key: CodingKey>(of key: Key) -> Record.Fields? {
        guard isFlat, !hasData(as: Key.self), !FieldNaming.isOpen(Key.self), !ignores(key),
            let separator = session.options.embeddingStrategy.separator
        else { return nil }
        // Of two properties that could have a field, it is the one with the longer name that has it.
        return fields.withoutPrefix(fieldName(of: key) + separator) { name in
            session.fieldKeys.key(Key.self, forField: name).map { $0.stringValue == key.stringValue } ?? true
        }
    }

    /// Decodes a property that has no field of its own: some are spread over several fields, some need none.
    @inline(never)
    func decodeAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = session.decoder(of: type)
        let value: Record.Value
        if decoder.isFieldless, isOwnRecord, !ignores(key), isProperty(key) {
            value = .null
        } else if decoder.mayEmbed, let fields = embeddedFields(of: key) {
            session.isNextFlat = true
            value = .map(fields)
        } else {
            throw missingField(key)
        }
        enter(key)
        defer { hasKey = false }
        return try decodingNested { try decoder.decode(value, in: session) }
    }

    /// Whether there is something to decode for a property that has no field of its own.
    @inline(never)
    func decodesAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) -> Bool {
        let decoder = session.decoder(of: type)
        if decoder.isFieldless, isOwnRecord, isProperty(key) {
            return !ignores(key) && (Value.self != Record.Metadata.self || ownMetadata != nil)
        }
        return isFlat && decoder.mayEmbed && embeddedFields(of: key) != nil
    }

    /// A frame for a nested container or a super decoder that is spread over the fields of this one.
    func makeEmbeddedChild(key: some CodingKey) throws -> ValueDecoder? {
        guard isFlat, position(of: key) == nil, let fields = embeddedFields(of: key) else { return nil }
        return try makeChild(.map(fields), key: key, isFlat: true)
    }

    /// A frame for the super decoder.
    func makeSuperChild() throws -> ValueDecoder {
        let key = PathKey.super
        if isFlat, fields[key.stringValue] == nil, let separator = session.options.embeddingStrategy.separator,
            let inner = fields.withoutPrefix(key.stringValue + separator, where: { _ in true })
        {
            return try makeChild(.map(inner), key: key, isFlat: true)
        }
        return try makeChild(fields[key.stringValue] ?? .null, key: key)
    }
}
