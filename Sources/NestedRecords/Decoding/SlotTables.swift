/// Where the fields of a type's keys are, for each shape of its records or maps.
///
/// Whoever decodes the type holds it until the call ends.
final class SlotTables: UncheckedObject<SlotTables.State> {
    /// The number of a key without a field.
    static let absent: Int16 = -1

    /// More shapes than this, or more names in one, are data; their fields are looked up by name.
    private static let (mostTables, mostNames) = (64, 256)

    struct Key: Equatable {
        let keyType: ObjectIdentifier

        /// The names of the fields, which all records of one shape share; nil if there are none.
        let shape: ObjectIdentifier?
    }

    struct State {
        /// The table that was used last.
        fileprivate var last: (key: Key, slots: Borrowed<KeySlots>)?

        /// Types with optional properties have some tables, and their records take turns.
        fileprivate var tables: ContiguousArray<Table> = []
    }

    fileprivate struct Table {
        let key: Key
        let slots: KeySlots

        /// Held, so that no other names get their address.
        let shape: FieldNames?
    }

    init() { super.init(State()) }

    /// The table for a type of keys and the names of the fields; nil where these are data.
    @inline(__always)
    func table(_ key: Key, _ shape: @autoclosure () -> FieldNames?) -> Borrowed<KeySlots>? {
        if let last = state.last, last.key == key { return last.slots }
        return findTable(key, shape())
    }

    private func findTable(_ key: Key, _ shape: FieldNames?) -> Borrowed<KeySlots>? {
        // Not by way of the tables themselves, which would be counted.
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

/// A number for each key of a type whose keys are one byte.
final class KeySlots: UncheckedObject<GrowingList<Int16>> {
    /// The number of a key of which nothing is known.
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
