final class RecordTypeDecoder<Model: RecordDecodable>: TypeDecoder<Model> {
    private let recordType = RecordTypeUse(of: Model.self)
    private let info: RecordTypeInfo
    private let tables = SlotTables()

    required init() {
        info = recordType.info
        super.init()
    }

    private let own = UncheckedObject(RecordTypeState())

    /// Values for reuse: class instances if another type came first, and structs from the second time on.
    private let memo = UncheckedObject<[Model]>([])

    override func reset() {
        // Moved out first: releasing the state may start another call.
        var (released, values) = (RecordTypeState(), [Model]())
        if own.state.memoCount > 0 { swap(&memo.state, &values) }
        swap(&own.state, &released)
        recordType.seenKeys = nil
    }

    override func finish(_ records: ContiguousArray<Record>) throws { try recordType.checkNames(records) }

    override var followsReferences: Bool { true }

    override func decode(_ field: StoredValue, isSpread: Bool, in frame: DecodingFrame) throws -> Model {
        if !own.state.isPrepared { try prepare(in: frame.call) }
        guard case .reference(let reference) = field.value else {
            return try decode(embedded: field.value, isSpread, in: frame)
        }
        if info.isDynamic { return try decodeDynamic(reference, in: frame) }
        guard info.type == reference.id.type else {
            return try frame.call.decode(registered: Model.self, reference, expected: info.type, in: frame)
        }
        return try decode(reference, in: frame)
    }

    // Not inlined: otherwise the type of an optional value would be instantiated for each record.
    @inline(never)
    private func decodeDynamic(_ reference: Record.Reference, in frame: DecodingFrame) throws -> Model {
        if info.isClass, let value = try frame.call.decode(subclassOf: Model.self, reference, in: frame) {
            return value
        }
        return try decode(reference, in: frame)
    }

    private func decode(embedded value: Record.Value, _ isSpread: Bool, in frame: DecodingFrame) throws -> Model {
        if case .null = value { throw frame.mismatch(Model.self, value, frame.currentKey) }
        // The tables are for records, in which some properties are ignored.
        return try frame.call.decodeContents(.value(value), in: frame) { $0.own.isFlat = isSpread }
    }

    override func decode(anyType reference: Record.Reference, in frame: DecodingFrame) throws -> Any? {
        if !own.state.isPrepared { try prepare(in: frame.call) }
        return try decode(reference, in: frame)
    }

    override func recordType(in call: DecodingCall) throws -> Borrowed<RecordTypeUse>? {
        if !own.state.isPrepared { try prepare(in: call) }
        return Borrowed(recordType)
    }

    private func prepare(in call: DecodingCall) throws {
        if let fault = info.schemaFault { throw fault }
        try recordType.prepareDefaults(of: Model.self) { try call.state.options.encode(fieldValue: $0) }
        own.state.isPrepared = true
    }

    @inline(__always)
    private func decode(_ reference: Record.Reference, in frame: DecodingFrame) throws -> Model {
        let call = frame.call
        guard let position = call.position(of: reference.id, info) else {
            throw missing(reference, in: frame)
        }
        if call.state.visits.owner(of: position) != 0 { return try decodeAgain(position, in: frame) }
        if position & 1_023 == 0, call.planner != nil { try Task.checkCancellation() }
        if own.state.number == 0 {
            call.state.ownerCount += 1
            own.state.number = call.state.ownerCount
        }
        call.state.visits.begin(position, owner: own.state.number)
        do {
            let value = try decodeFields(position, in: frame)
            call.state.visits.end(position, instance: info.isClass ? instance(value) : nil)
            return value
        } catch {
            // A type may continue after an error, and decode this record again.
            call.state.visits.fail(position)
            throw error
        }
    }

    @inline(__always)
    private func decodeFields(_ position: Int, in frame: DecodingFrame) throws -> Model {
        if info.hasHistory { try checkVersion(position, in: frame) }
        return try frame.call.decodeContents(
            .record, in: frame, .record(at: position, Borrowed(recordType)), Borrowed(tables)
        ) { inner in
            if frame.call.naming.separator != nil { inner.own.isFlat = true }
        } check: { value, inner in
            let isNamed = value.recordName.hasSameBytes(as: frame.call.storedRecord(at: position).value.id.name)
            if !isNamed || info.isDynamic { try checkIdentity(of: value, position, inner) }
        }
    }

    private func checkVersion(_ position: Int, in frame: DecodingFrame) throws {
        let record = frame.call.records[position]
        guard let known = info.schema.version, let stored = record[Record.versionField] else { return }
        guard case .int(let found) = stored else {
            let reason = "its field '\(Record.versionField)' is \(stored.found) instead of a version"
            throw RecordError(
                .newerVersion, summary: "the version of the record \(record.id) is unknown", reason: reason,
                recordID: record.id, context: frame.placeOfNextValue)
        }
        if found > known {
            throw RecordError.newerVersion(
                of: record.id, found: found, known: known, type: "\(Model.self)", context: frame.placeOfNextValue)
        }
    }

    private func checkIdentity(of value: Model, _ position: Int, _ frame: DecodingFrame) throws {
        // A single value that is a reference leads the frame to another record.
        let id = frame.call.storedRecord(at: position).value.id
        let type = info.recordType(of: value)
        let hasOwnName = value is any Encodable || value is any Identifiable
        // A type that is only decodable and declares no name cannot return the name in its property.
        if !hasOwnName, value.recordName.isEmpty, !info.isDynamic { return }
        if value.recordName.hasSameBytes(as: id.name), !info.isDynamic || type == id.type { return }
        let isOtherSpelling =
            type == id.type && info.canonicalName(of: id.name).hasSameBytes(as: value.recordName)
            && !id.name.hasSameBytes(as: value.recordName)
        throw RecordError.identityMismatch(
            decoded: "\(type)/\(value.recordName)", record: id, isOtherSpelling: isOtherSpelling,
            context: frame.place())
    }
}

// MARK: Records that occurred before

extension RecordTypeDecoder {
    private func decodeAgain(_ position: Int, in frame: DecodingFrame) throws -> Model {
        let call = frame.call
        let isOwner = call.state.visits.owner(of: position) == own.state.number
        if isOwner ? call.state.visits.isOpen(position) : own.state.open.contains(position) {
            throw RecordError.referenceCycle(to: call.records[position].id, at: frame.placeOfNextValue)
        }
        // This decoder made the instance, so it is of this class.
        if isOwner, info.isClass, let object = call.state.visits.instance(position) {
            return NestedRecords.value(object, as: Model.self)
        }
        let known = isOwner ? call.state.visits.memoNumber(position) : own.state.memoNumbers[position]
        if let known { return memo.state[known] }
        setOpen(position, true, isOwner, in: call)
        defer { setOpen(position, false, isOwner, in: call) }
        let value = try decodeFields(position, in: frame)
        let number = own.state.memoCount
        if isOwner {
            call.state.visits.note(memoNumber: number, position)
        } else {
            own.state.memoNumbers[position] = number
        }
        own.state.memoCount += 1
        memo.state.append(value)
        return value
    }

    private func setOpen(_ position: Int, _ isOpen: Bool, _ isOwner: Bool, in call: DecodingCall) {
        if isOwner {
            call.state.visits.setOpen(position, isOpen)
        } else if isOpen {
            own.state.open.insert(position)
        } else {
            own.state.open.remove(position)
        }
    }
}

// MARK: Missing records

extension RecordTypeDecoder {
    private func missing(_ reference: Record.Reference, in frame: DecodingFrame) -> any Error {
        let error = frame.call.missing(reference, in: frame)
        if error is UnfetchedRecord { frame.call.planner?.learn(Model.self, decoding: reference.id) }
        let name = info.canonicalName(of: reference.id.name)
        guard reference.id.type == info.type, !name.hasSameBytes(as: reference.id.name),
            let error = error as? RecordError, error.code == .danglingReference
        else { return error }
        return error.with(reason: "\(Model.self) spells the name '\(name)': store the reference in this spelling")
    }
}

private struct RecordTypeState {
    /// The number of this type among the types of records of this call; 0 until it decodes a record.
    var number: Int32 = 0

    var isPrepared = false

    /// The number of values for reuse; if another type came first, also their numbers by the positions of the records.
    ///
    /// Separate from the values: otherwise the type of an optional value would be instantiated for each look-up.
    var memoCount = 0
    var memoNumbers: [Int: Int] = [:]
    var open: Set<Int> = []
}
