typealias StoredValue = ElementInPlace<Record.Value>

final class DecodingFrame: CodingFrame<DecodingCall, DecodingFrame.State> {
    enum Source {
        case record
        case value(Record.Value)
    }

    struct State: ~Copyable {
        fileprivate(set) var source = Source.record
        fileprivate var fields = ReadFields()

        /// Whether the fields belong to a record: those of the record itself, and of values that are spread over the
        /// record.
        var isFlat = false

        /// The decoders of the nested containers and superclasses of the whole value, until it is complete.
        fileprivate var children: [ValueDecoder.Coder] = []
    }

    init(_ call: DecodingCall) { super.init(call, State()) }

    override var isFlat: Bool { own.isFlat }

    var ownRecord: Record { call.records[recordPosition] }

    var fields: Record.Fields { own.fields.all(in: call) }

    @inline(__always)
    func begin(
        in parent: DecodingFrame, _ source: Source, _ role: RecordRole = .value, _ tables: Borrowed<SlotTables>? = nil
    ) {
        enter(parent, as: role)
        own.source = source
        own.isFlat = false
        own.fields.begin(tables, role, in: call)
    }

    func makeChild(
        _ value: Record.Value, key: any CodingKey, isFlat: Bool = false, _ recordType: Borrowed<RecordTypeUse>? = nil
    ) throws -> ValueDecoder {
        let child = DecodingFrame(call)
        child.begin(in: self, .value(value), recordType.map { .superclass($0) } ?? .value)
        child.state.origin = .nested(under: key)
        child.own.isFlat = isFlat
        guard child.state.depth <= call.maximumDepth else {
            throw RecordError.depthLimitExceeded(call.maximumDepth, context: child.place())
        }
        let coder = ValueDecoder.Coder(frame: child)
        let whole = whole
        // A frame that user code holds after the end of its value would never release the nested frame.
        if case .kept = whole.state.origin { return ValueDecoder(coder: coder) }
        whole.own.children.append(coder)
        return ValueDecoder(coder: coder)
    }

    @inline(__always)
    func complete() -> Bool { own.children.isEmpty || releaseChildren() }

    private func releaseChildren() -> Bool {
        var areFree = true
        // Starts at the end: each frame holds its parent, and containers can be nested far more deeply than the stack
        // allows.
        while var child = own.children.popLast() {
            if isKnownUniquelyReferenced(&child), child.state.areFree {
                child.frame.leaveParent()
            } else {
                areFree = false
                child.frame.detach()
            }
        }
        return areFree
    }
}

// MARK: Kinds

extension DecodingFrame {
    @inline(__always)
    func openKeyed<Key: CodingKey>(_: Key.Type) throws {
        try openFields(Key.self)
        if ByteKey.fits(Key.self) { _ = slots(for: Key.self) }
    }

    private func openFields<Key: CodingKey>(_: Key.Type) throws {
        switch own.source {
        case .record:
            if let recordType, recordType.with({ !$0.isPrepared(for: Key.self) }) {
                prepareKeys(Key.self, recordType.object)
            }
            if own.fields.stored.count == 1, let value = ownSingleValue { try openFields(Key.self, value) }
        case .value(.map(let fields)) where !fields.areDecimal:
            own.fields.read(fields)
            // The `super` of a record: the planner only uses the keys of the record.
            if let recordType {
                recordType.object.note(Key.self, naming)
                readPresent(Key.self, recordType.object)
            }
        case .value(let value):
            try openFields(Key.self, value)
        }
    }

    private func prepareKeys<Key: CodingKey>(_: Key.Type, _ recordType: RecordTypeUse) {
        if recordType.seenKeys != ObjectIdentifier(Key.self) { call.learnKeys(Key.self, recordType, self) }
        readPresent(Key.self, recordType)
    }

    private func readPresent<Key: CodingKey>(_: Key.Type, _ recordType: RecordTypeUse) {
        guard let formerFields = recordType.formerFields, !hasData(as: Key.self),
            let present = formerFields.present(fields, Key.self, isFlat: isFlat, naming, call.fieldKeys)
        else { return }
        own.fields.read(present)
    }

    private func openFields<Key: CodingKey>(_: Key.Type, _ value: Record.Value) throws {
        guard case .reference(let reference) = value else { throw mismatch([String: Any].self, value, nil) }
        try follow(reference, Key.self)
    }

    private func follow<Key: CodingKey>(_ reference: Record.Reference, _: Key.Type) throws {
        call.planner?.learn(KeyTest(Key.self, ignored: [], formerNames: [:], naming), of: reference.id.type)
        guard let position = call.position(of: reference.id) else { throw call.missing(reference, in: self) }
        guard !isInside(record: position) else {
            throw RecordError.referenceCycle(to: reference.id, at: placeOfNextValue)
        }
        call.state.visits.reach(position)
        let recordType = try call.recordType(registeredFor: reference.id.type)
        state.role = .record(at: position, recordType)
        own.fields.read(recordAt: position, ofOtherType: recordType != nil, in: call)
        own.isFlat = naming.separator != nil
        guard own.fields.stored.count == 1, let value = ownSingleValue else { return }
        // Records that consist of references to each other have no end.
        guard state.depth < call.maximumDepth else { throw call.depthError(in: self) }
        enterTarget()
        try openFields(Key.self, value)
    }

    var isReadAsAWhole: Bool {
        guard case .record = own.source, currentKey == nil else { return false }
        return ownSingleValue == nil
    }

    func openUnkeyed() throws -> [Record.Value] {
        let value = try singleValue()
        if case .list(let values) = value { return values }
        guard case .list(let values)? = try content(of: value) else { throw mismatch([Any].self, value, nil) }
        return values
    }

    func singleValue() throws -> Record.Value {
        switch own.source {
        case .value(let value):
            return value
        case .record:
            if let value = ownSingleValue {
                call.learn(Record.singleValueField, of: recordID)
                return value
            }
            // The types that will read the fields are unknown here.
            call.learnAllFields(of: recordID)
            return .map(fieldsWithoutVersion)
        }
    }

    private var fieldsWithoutVersion: Record.Fields {
        guard recordID != nil, recordType?.object.info.schema.version != nil else { return fields }
        return Record.Fields(fields.filter { $0.name != Record.versionField }.map { ($0.name, $0.value) })
    }

    /// The single value of this record; nil if it consists of fields.
    private var ownSingleValue: Record.Value? {
        call.unwrapsSingleValues ? fields.singleValue : nil
    }

    /// The content of the record that a value refers to; nil if the value is not a reference.
    func content(of value: Record.Value) throws -> Record.Value? {
        guard case .reference(let reference) = value else { return nil }
        // Only the single value is reported: the type of the record may have links, which are not followed.
        call.learn(Record.singleValueField, of: reference.id)
        guard let position = call.position(of: reference.id) else { throw call.missing(reference, in: self) }
        call.state.visits.reach(position)
        let fields = call.storedRecord(at: position).value.fields
        return fields.singleValue ?? .map(fields)
    }
}

// MARK: Fields

extension DecodingFrame {
    @inline(__always)
    func position<Key: CodingKey>(of key: Key) -> Int? {
        let slot = own.fields.slot(of: key)
        if slot == KeySlots.unknown { return findPosition(of: key) }
        return slot == SlotTables.absent ? nil : Int(slot)
    }

    private func findPosition<Key: CodingKey>(of key: Key) -> Int? {
        guard ByteKey.fits(Key.self), let slots = slots(for: Key.self) else {
            return lookUpPosition(of: key)
        }
        let byte = ByteKey.byte(of: key)
        var slot = slots.with { $0[byte] }
        if slot == KeySlots.unknown {
            let position = lookUpPosition(of: key)
            guard let found = Int16(exactly: position ?? Int(SlotTables.absent)) else { return position }
            slot = found
            slots.with { $0[byte] = found }
        }
        return slot == SlotTables.absent ? nil : Int(slot)
    }

    private func lookUpPosition(of key: some CodingKey) -> Int? {
        if ignores(key) { return defaultPosition(of: key) }
        return own.fields.position(of: fieldName(of: key), in: call)
    }

    /// The position of an ignored property's value, smaller than that of every field; nil if it has none.
    private func defaultPosition(of key: some CodingKey) -> Int? {
        recordType?.object.defaults?.position(of: key.stringValue)
    }

    @inline(__always)
    func field(at position: Int) -> StoredValue {
        position < 0 ? defaultField(at: position) : own.fields.stored[position]
    }

    private func defaultField(at position: Int) -> StoredValue {
        guard let defaults = recordType?.object.defaults else { preconditionFailure("position out of range") }
        return defaults[position]
    }

    private func slots<Key: CodingKey>(for _: Key.Type) -> Borrowed<KeySlots>? {
        hasData(as: Key.self) ? nil : own.fields.slots(for: Key.self, in: call)
    }

    func ignores(_ key: some CodingKey) -> Bool {
        guard let recordType, recordType.with({ $0.info.hasIgnored }) else { return false }
        return recordType.object.info.ignored.contains(key.stringValue)
    }

    @inline(__always)
    func requiredPosition<Key: CodingKey>(of key: Key) throws -> Int {
        if let position = position(of: key) { return position }
        throw missingField(key)
    }

    func missingField(_ key: some CodingKey) -> any Error {
        var reason =
            ignores(key)
            ? "the property '\(key.stringValue)' is ignored, and its type's schema has no value for it: "
                + "declare one in the schema's defaults, or make the property optional"
            : "there is no field '\(fieldName(of: key))'\(formerNames(of: key))"
        if case .record(_, nil) = state.role {
            reason += "; the value of an ignored property is available only if the type is registered with the decoder"
        }
        if let schema = recordType?.object.info.schema, !ignores(key) {
            if schema.version == nil, case .int(let version)? = fields[Record.versionField] {
                reason += "; the record was saved by a program whose type has the version \(version)"
            } else {
                reason += "; declare a property that is new in the schema's defaults"
            }
        }
        let error = DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
        return call.noted(error, self)
    }

    private func formerNames(of key: some CodingKey) -> String {
        let names = recordType?.object.info.schema.formerNames[key.stringValue] ?? []
        return naming.keyStrategy.formerFields(of: names).map { ", and no '\($0)'" }.joined()
    }

    func keys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        let defaults = recordType?.object.defaults?.names ?? []
        return storedKeys(of: Key.self) + defaults.compactMap(Key.init(stringValue:))
    }

    private func storedKeys<Key: CodingKey>(of _: Key.Type) -> [Key] {
        let names = fieldsWithoutVersion.names
        if hasData(as: Key.self) { return names.compactMap(Key.init(stringValue:)).filter { !ignores($0) } }
        var seen: Set<String> = []
        return names.compactMap { name in
            let key =
                own.isFlat
                ? call.fieldKeys.key(Key.self, forField: name)
                : naming.keyStrategy.key(Key.self, forField: name)
            guard let key, !ignores(key), !own.isFlat || seen.insert(key.stringValue).inserted else { return nil }
            return key
        }
    }

    @inline(__always)
    func scalar<Value: FieldScalar, Key: CodingKey>(_ key: Key) throws -> Value {
        let field = field(at: try requiredPosition(of: key))
        return try Value.read(at: field) { try readLeniently(field.value, key) }
    }

    @inline(__always)
    func scalarIfPresent<Value: FieldScalar, Key: CodingKey>(_ key: Key) throws -> Value? {
        guard let position = position(of: key) else { return nil }
        let field = field(at: position)
        if case .null = field.value { return nil }
        return try Value.read(at: field) { try readLeniently(field.value, key) }
    }
}

// MARK: Embedded values

extension DecodingFrame {
    /// The fields of an embedded value that are spread over this frame, by their own names; nil if none exist.
    func embeddedFields<Key: CodingKey>(of key: Key) -> Record.Fields? {
        guard own.isFlat, !hasData(as: Key.self), !FieldNaming.isOpen(Key.self), !ignores(key),
            let separator = naming.separator
        else { return nil }
        // If two properties could have a field, the property with the longer name has it.
        return fields.withoutPrefix(fieldName(of: key) + separator) { name in
            call.fieldKeys.key(Key.self, forField: name).map { $0.stringValue == key.stringValue } ?? true
        }
    }

    /// Decodes a property without a field of its own: spread over several fields, or read from elsewhere.
    func decodeAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = call.typeDecoder(of: type)
        defer { leave() }
        if decoder.object.isFieldless, isOwnRecord, !ignores(key), isProperty(key) {
            enter(key)
            return try StoredValue.with(.null) { try call.decode(type, $0, in: self) }
        }
        guard EmbeddingStrategy.mayEmbed(type), let fields = embeddedFields(of: key) else { throw missingField(key) }
        enter(key)
        return try StoredValue.with(.map(fields)) { try call.decode(type, $0, isSpread: true, in: self) }
    }

    func decodesAbsent<Value: Decodable, Key: CodingKey>(_ type: Value.Type, forKey key: Key) -> Bool {
        if call.typeDecoder(of: type).object.isFieldless, isOwnRecord, isProperty(key) {
            return !ignores(key) && (Value.self != Record.Metadata.self || ownRecord.metadata != nil)
        }
        return own.isFlat && EmbeddingStrategy.mayEmbed(type) && embeddedFields(of: key) != nil
    }

    /// The decoder of a nested container or of the superclass, for the field of a key or for the fields over which the
    /// value is spread.
    func child(forKey key: some CodingKey, _ recordType: Borrowed<RecordTypeUse>? = nil) throws -> ValueDecoder {
        if own.isFlat, position(of: key) == nil, let fields = embeddedFields(of: key) {
            return try makeChild(.map(fields), key: key, isFlat: true, recordType)
        }
        return try makeChild(field(at: try requiredPosition(of: key)).value, key: key, recordType)
    }

    /// The decoder of the superclass.
    ///
    /// The schema of a record also applies to the properties of its superclass.
    func superChild() throws -> ValueDecoder {
        let key = PathKey.super
        call.learn(key.stringValue, of: recordID)
        if own.isFlat, fields[key.stringValue] == nil, let separator = naming.separator,
            let inner = fields.withoutPrefix(key.stringValue + separator, where: { _ in true })
        {
            return try makeChild(.map(inner), key: key, isFlat: true, recordType)
        }
        return try makeChild(fields[key.stringValue] ?? .null, key: key, recordType)
    }

    func superChild(forKey key: some CodingKey) throws -> ValueDecoder {
        if position(of: key) == nil, embeddedFields(of: key) == nil {
            return try makeChild(.null, key: key, recordType)
        }
        return try child(forKey: key, recordType)
    }
}

extension Record.Fields {
    fileprivate var singleValue: Record.Value? {
        count == 1 && names[0] == Record.singleValueField ? values[0] : nil
    }
}
