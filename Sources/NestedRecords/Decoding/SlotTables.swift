/// Where the fields of a type's keys are, for each shape of its records or maps.
///
/// Whoever decodes the type holds it until the call ends.
final class SlotTables: UncheckedObject<SlotTables.State> {
    /// The number of a key without a field.
    static let absent: Int16 = -1

    /// More shapes than this have names that are data; their fields are looked up by name.
    private static let mostTables = 64

    /// More tables than this, and more names, are not kept for another call.
    private static let mostKept = (tables: 8, names: 256)

    struct Key: Equatable {
        let keyType: ObjectIdentifier

        /// The names of the fields, which all records of one shape share; nil if there are none.
        let shape: ObjectIdentifier?
    }

    /// A table, which ``State/held`` holds.
    struct Table {
        let key: Key
        let slots: Borrowed<KeySlots>
    }

    struct State {
        /// The table that was used last.
        fileprivate var last: Table?

        /// Types with optional properties have some tables, and their records take turns.
        fileprivate var tables: ContiguousArray<Table> = []

        /// What the tables refer to.
        fileprivate var held: [(slots: KeySlots, shape: FieldNames?)] = []
        fileprivate var nameCount = 0
    }

    init() { super.init(State()) }

    /// Ends a call.
    func reset() {
        if state.held.count <= Self.mostKept.tables, state.nameCount <= Self.mostKept.names { return }
        // Moved out first: what is released may make a call.
        var released = State()
        swap(&state, &released)
    }

    /// The table for a type of keys and the names of the fields; nil where there are too many tables.
    ///
    /// The names are held, so that no others get their address.
    func table(_ key: Key, _ shape: FieldNames?) -> Borrowed<KeySlots>? {
        if let known = knownTable(key) { return known.slots }
        guard state.tables.count < Self.mostTables, shape?.names.count ?? 0 < Int(Int16.max) else { return nil }
        let slots = KeySlots()
        state.held.append((slots, shape))
        state.nameCount += shape?.names.count ?? 0
        let table = Table(key: key, slots: Borrowed(slots))
        state.tables.append(table)
        state.last = table
        return table.slots
    }

    /// The table for the type of keys that was used last and the names of some fields; nil if there is none.
    @inline(__always)
    func usualTable(_ shape: ObjectIdentifier?) -> Table? {
        guard let last = state.last else { return nil }
        return last.key.shape == shape ? last : knownTable(Key(keyType: last.key.keyType, shape: shape))
    }

    private func knownTable(_ key: Key) -> Table? {
        for table in state.tables where table.key == key {
            state.last = table
            return table
        }
        return nil
    }
}
