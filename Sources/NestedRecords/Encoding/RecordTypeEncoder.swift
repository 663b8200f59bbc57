final class RecordTypeEncoder<Model: RecordEncodable>: TypeEncoder<Model> {
    private let use = RecordTypeUse(of: Model.self)
    private let info: RecordTypeInfo
    private let orders = FieldOrders()
    private var compared: ComparedValues?
    private var keptValues: [Model] = []

    /// A value with this many repeated values is always noted: otherwise diamonds would take exponential time.
    private static var largeRepetition: Int { 3 }

    /// At this many nested repeated values there may be a cycle, so all are noted.
    private static var deepRepetition: Int { 8 }

    required init() {
        info = use.info
        super.init()
    }

    override func begin(in call: EncodingCall) { call.checkRecordType(of: Model.self, info) }

    override func reset() {
        if compared != nil { (compared, keptValues) = (nil, []) }
        orders.reset()
    }

    override func note(in models: inout RecordModels) { models.note(Model.self, info) }

    override func finish(in call: EncodingCall) throws { try call.checkNames(of: use) }

    override func encode(_ value: Model, in frame: EncodingFrame) throws -> EncodedValue {
        if info.isClass, type(of: value) != Model.self { return try encode(subclass: value, in: frame) }
        let call = frame.call
        let (position, isNew) = try call.reserve(value, info, in: frame)
        if isNew {
            try call.complete(position, with: try encodeFields(value, position, in: frame))
        } else {
            try encodeAgain(value, position, in: frame)
        }
        return .value(.reference(Record.Reference(to: call.state.table.records[position].id)))
    }

    private func encode(subclass value: Model, in frame: EncodingFrame) throws -> EncodedValue {
        let type = instanceType(of: value)
        if type.recordType == info.type, !info.isDynamic {
            let reason =
                "\(type) and \(Model.self) have the same record type, so it would be decoded as \(Model.self): "
                + "state another record type in the subclass"
            throw frame.call.invalidID(info.type, value.recordName, reason, in: frame)
        }
        func encode<Subclass: RecordEncodable>(_ type: Subclass.Type) throws -> EncodedValue {
            // The class of the instance.
            try frame.call.encode(NestedRecords.value(instance(value), as: type), in: frame)
        }
        return try encode(type)
    }

    @inline(__always)
    private func encodeFields(_ value: Model, _ position: Int, in frame: EncodingFrame) throws -> Record.Fields {
        try frame.call.encodeContents(of: value, in: frame, orders, .record(at: position, Borrowed(use))) { inner in
            if inner.call.flattening != nil { inner.beginFlat() }
        } take: { inner in
            info.hasHistory ? takeFields(inner) : inner.takeFields()
        }
    }

    private func takeFields(_ frame: EncodingFrame) -> Record.Fields {
        info.schema.version.map { frame.takeFields(version: $0) } ?? frame.takeFields()
    }

    /// Compares a value whose identity occurred before with the existing record.
    private func encodeAgain(_ value: Model, _ position: Int, in frame: EncodingFrame) throws {
        let call = frame.call
        if info.isClass, call.state.table.isMade(position, of: instance(value)) {
            if let cycle = call.cycle(to: position, in: frame) { throw cycle }
            return
        }
        call.state.repetitionCount += 1
        if compared?.contains(value, position) ?? false { return }
        if info.isClass || call.state.openRepetitionCount >= Self.deepRepetition {
            // Noted first: the value may occur again while its fields are encoded.
            note(value, position, isLarge: true)
        }
        let count = call.state.repetitionCount
        call.state.openRepetitionCount += 1
        defer { call.state.openRepetitionCount -= 1 }
        try call.compare(position, with: try encodeFields(value, position, in: frame), in: frame)
        let isLarge = call.state.repetitionCount - count >= Self.largeRepetition
        note(value, position, isLarge: isLarge)
    }

    private func note(_ value: Model, _ position: Int, isLarge: Bool) {
        let compared = compared ?? ComparedValues()
        self.compared = compared
        if compared.insert(value, position, isLarge: isLarge) { keptValues.append(value) }
    }
}

/// The values of a type that are equal to their records.
///
/// Copies share the storage of their strings and lists. A kept value retains that storage, so equal bytes mean equal
/// values. They lie one after the other: an array for each look-up was a fifth of what encoding repeated copies took.
private final class ComparedValues: UncheckedObject<ComparedValues.State> {
    struct State: ~Copyable {
        fileprivate var index = RecordIndex()

        /// The positions of the records, and the bytes of the values one after the other.
        fileprivate var positions = GrowingList<Int>()
        fileprivate var bytes = GrowingList<UInt8>()
        fileprivate var hitCount = 0
        fileprivate var hasLargeValues = false
    }

    init() { super.init(State()) }

    /// Whether values are found often enough: a look-up takes as long as encoding a few fields.
    private var isOfUse: Bool { state.positions.count < 32 + 4 * state.hitCount }

    @inline(__always)
    func contains(_ value: some Any, _ position: Int) -> Bool {
        guard state.hasLargeValues || isOfUse else { return false }
        return withBytes(of: value) { contains($0, position) }
    }

    private func contains(_ bytes: BytesInPlace, _ position: Int) -> Bool {
        let isKnown = isNoted(bytes, position, Self.hash(bytes, position))
        if isKnown { state.hitCount += 1 }
        return isKnown
    }

    /// Notes a value, unless look-ups rarely find values.
    ///
    /// - Returns: Whether it was noted now: then the caller keeps it.
    func insert(_ value: some Any, _ position: Int, isLarge: Bool) -> Bool {
        guard isLarge || isOfUse else { return false }
        state.hasLargeValues = state.hasLargeValues || isLarge
        return withBytes(of: value) { insert($0, position) }
    }

    private func insert(_ bytes: BytesInPlace, _ position: Int) -> Bool {
        let hash = Self.hash(bytes, position)
        if isNoted(bytes, position, hash) { return false }
        state.index.insert(hash, at: state.positions.count)
        state.positions.append(position)
        state.bytes.append(contentsOf: bytes)
        return true
    }

    private static func hash(_ bytes: BytesInPlace, _ position: Int) -> UInt64 {
        RecordIndex.hash(of: bytes) ^ UInt64(truncatingIfNeeded: position) &* 0x9E37_79B9_7F4A_7C15
    }

    private func isNoted(_ bytes: BytesInPlace, _ position: Int, _ hash: UInt64) -> Bool {
        state.bytes.withBytesInPlace { noted in
            state.index.find(hash) { number in
                state.positions[number] == position
                    && noted.part(at: number * bytes.count, count: bytes.count)?.hasSameBytes(as: bytes) ?? false
            } != nil
        }
    }
}
