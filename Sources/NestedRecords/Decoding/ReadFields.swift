struct ReadFields {
    private var own = Record.Fields()

    /// The position of the record with these fields; negative for other fields.
    private var recordPosition = -1

    /// The fields, read in place: the call holds its records, and this object holds the value's own fields.
    private(set) var stored = ElementsInPlace<Record.Value>()
    private var shape: ObjectIdentifier?

    /// The positions of the fields of a type's keys; nil if the fields belong to another type.
    ///
    /// The type's decoder holds the tables.
    private var tables: Borrowed<SlotTables>?

    private var slots: Borrowed<KeySlots>?
    private var slotKeyType: ObjectIdentifier?

    @inline(__always)
    mutating func begin(_ tables: Borrowed<SlotTables>?, _ role: RecordRole, in call: DecodingCall) {
        self.tables = tables
        recordPosition = -1
        if case .record(let position, _) = role { read(recordAt: position, ofOtherType: false, in: call) }
    }

    @inline(__always)
    mutating func read(recordAt position: Int, ofOtherType: Bool, in call: DecodingCall) {
        if ofOtherType { tables = nil }
        recordPosition = position
        locate(call.storedRecord(at: position).value.fields)
    }

    @inline(__always)
    mutating func read(_ fields: Record.Fields) {
        recordPosition = -1
        own = fields
        locate(own)
    }

    @inline(__always)
    private mutating func locate(_ fields: borrowing Record.Fields) {
        stored = ElementsInPlace(fields.values)
        shape = fields.shape.map(ObjectIdentifier.init)
        slots = nil
    }

    func all(in call: DecodingCall) -> Record.Fields {
        recordPosition >= 0 ? call.records[recordPosition].fields : own
    }

    func position(of name: String, in call: DecodingCall) -> Int? {
        guard recordPosition >= 0 else { return own.position(of: name) }
        return call.storedRecord(at: recordPosition).value.fields.position(of: name)
    }

    /// The number of a key in the last table: a position, or a mark of ``KeySlots`` or ``SlotTables``.
    @inline(__always)
    func slot<Key: CodingKey>(of key: Key) -> Int16 {
        guard ByteKey.fits(Key.self), let slots, slotKeyType == ObjectIdentifier(Key.self) else {
            return KeySlots.unknown
        }
        return slots.with { $0[ByteKey.byte(of: key)] }
    }

    /// The table for a type of keys that are one byte; nil if these fields have none.
    mutating func slots<Key: CodingKey>(for _: Key.Type, in call: DecodingCall) -> Borrowed<KeySlots>? {
        let key = SlotTables.Key(keyType: ObjectIdentifier(Key.self), shape: shape)
        if slotKeyType == key.keyType, let slots { return slots }
        guard let found = tables?.with({ $0.table(key, all(in: call).shape) }) else { return nil }
        (slots, slotKeyType) = (found, key.keyType)
        return found
    }
}

/// The positions of the fields of a type's keys, for each shape of its records or maps.
///
/// The type's decoder holds it until the call ends.
final class SlotTables: UncheckedObject<SlotTables.State> {
    static let absent: Int16 = -1

    /// With more shapes, or more names in one shape, names are data; their fields are looked up by name.
    private static let (mostTables, mostNames) = (64, 256)

    struct Key: Equatable {
        let keyType: ObjectIdentifier

        /// The names of the fields, which all records of one shape share; nil if there are none.
        let shape: ObjectIdentifier?
    }

    struct State {
        fileprivate var last: (key: Key, slots: Borrowed<KeySlots>)?

        /// Types with optional properties have several tables, and their records alternate.
        fileprivate var tables: ContiguousArray<Table> = []
    }

    fileprivate struct Table {
        let key: Key
        let slots: KeySlots

        /// Retained, so that no other names get their address.
        let shape: FieldNames?
    }

    init() { super.init(State()) }

    /// The table for a type of keys and the names of the fields; nil if the names are data.
    @inline(__always)
    func table(_ key: Key, _ shape: @autoclosure () -> FieldNames?) -> Borrowed<KeySlots>? {
        if let last = state.last, last.key == key { return last.slots }
        return findTable(key, shape())
    }

    private func findTable(_ key: Key, _ shape: FieldNames?) -> Borrowed<KeySlots>? {
        // Uses positions, since references to the tables would be counted.
        var position = 0
        while position < state.tables.count, state.tables[position].key != key { position += 1 }
        if position == state.tables.count {
            guard position < Self.mostTables, shape?.names.count ?? 0 <= Self.mostNames else { return nil }
            state.tables.append(Table(key: key, slots: KeySlots(), shape: shape))
        }
        let slots = Borrowed(state.tables[position].slots)
        state.last = (key, slots)
        return slots
    }
}

final class KeySlots: UncheckedObject<GrowingList<Int16>> {
    static let unknown: Int16 = -2

    init() {
        super.init(GrowingList())
        state.append(Self.unknown, count: 256)
    }

    subscript(byte: UInt8) -> Int16 {
        @inline(__always)
        get {
            state[Int(byte)]
        }
        set { state[Int(byte)] = newValue }
    }
}
