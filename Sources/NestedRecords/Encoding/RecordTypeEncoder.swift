/// Encodes values as records, each identity once.
final class RecordTypeEncoder<Model: RecordEncodable>: TypeEncoder<Model> {
    private let use = RecordTypeUse(of: Model.self)
    private let info: RecordTypeInfo
    private let orders = FieldOrders()

    /// The values that were compared with their records.
    private var compared = ComparedValues<Model>()

    required init() {
        info = use.info
        super.init()
    }

    override func begin(in call: EncodingCall) { call.checkRecordType(of: Model.self, info) }

    override func reset() {
        if !compared.isEmpty { compared = ComparedValues() }
        orders.reset()
    }

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

    /// Encodes an instance of a subclass as its own class, whatever the type of the property.
    private func encode(subclass value: Model, in frame: EncodingFrame) throws -> EncodedValue {
        let type = instanceType(of: value)
        if type.recordType == info.type, !info.isDynamic {
            let reason =
                "\(type) and \(Model.self) have one record type, and it would be decoded as \(Model.self): "
                + "state another one in the subclass"
            throw frame.call.invalidID(info.type, value.recordName, reason, in: frame)
        }
        func encode<Subclass: RecordEncodable>(_ type: Subclass.Type) throws -> EncodedValue {
            // It is the instance's own class.
            try frame.call.encode(NestedRecords.value(instance(value), as: type), in: frame)
        }
        return try encode(type)
    }

    @inline(__always)
    private func encodeFields(_ value: Model, _ position: Int, in frame: EncodingFrame) throws -> Record.Fields {
        try frame.call.encodeContents(of: value, in: frame, orders, record: position, Borrowed(use)) { inner in
            inner.beginFlat()
        } take: { inner in
            info.hasHistory ? takeFields(inner) : inner.takeFields()
        }
    }

    private func takeFields(_ frame: EncodingFrame) -> Record.Fields {
        info.history?.version.map { frame.takeFields(version: $0) } ?? frame.takeFields()
    }

    /// Compares a value whose identity was met before with the record that is there.
    private func encodeAgain(_ value: Model, _ position: Int, in frame: EncodingFrame) throws {
        let call = frame.call
        if info.isClass, call.state.table.isMade(position, of: instance(value)) {
            if let cycle = call.cycle(to: position, in: frame) { throw cycle }
            return
        }
        if compared.contains(value, position) { return }
        // Diamonds would take exponential time. Noted first: the value may be met again while its fields are encoded.
        let isNoted = info.isClass || call.state.openRepetitionCount > 0 || compared.isOfUse
        if isNoted { compared.insert(value, position) }
        call.state.openRepetitionCount += 1
        defer { call.state.openRepetitionCount -= 1 }
        try call.compare(position, with: try encodeFields(value, position, in: frame), in: frame)
    }
}

/// The values of a type that are equal to their records, or are being compared with them.
///
/// Copies share the storage of their strings and lists. A value that is kept holds that storage, so equal bytes mean equal
/// values.
private struct ComparedValues<Model> {
    private var known: Set<ComparedValue> = []
    private var values: [Model] = []
    private var hitCount = 0

    var isEmpty: Bool { values.isEmpty }

    /// Whether values are found again often enough: looking one up takes as long as encoding a few fields.
    var isOfUse: Bool { values.count < 32 + 4 * hitCount }

    mutating func contains(_ value: Model, _ position: Int) -> Bool {
        guard !isEmpty, known.contains(ComparedValue(position: position, words: words(of: value))) else { return false }
        hitCount += 1
        return true
    }

    mutating func insert(_ value: Model, _ position: Int) {
        known.insert(ComparedValue(position: position, words: words(of: value)))
        values.append(value)
    }
}

private struct ComparedValue: Hashable {
    let position: Int
    let words: [UInt64]
}
