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
