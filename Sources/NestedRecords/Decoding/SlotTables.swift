/// Where the fields of a type's keys are, for each shape of its records or maps.
///
/// Whoever decodes the type holds it until the call ends. Keys may have other strings in another call.
final class SlotTables: UncheckedObject<SlotTables.State> {
    /// The number of a key without a field.
    static let absent: Int16 = -1

    /// More shapes than this have names that are data; their fields are looked up by name.
    private static let mostTables = 64

    struct Key: Hashable {
        let keyType: ObjectIdentifier

        /// The names of the fields, which all records of one shape share; nil if there are none.
        let shape: ObjectIdentifier?
    }

    struct State {
        /// The table that was used last.
        fileprivate(set) var last: (key: Key, slots: Borrowed<KeySlots>)?

        /// All tables, the first one apart: most types have no other.
        fileprivate var usualTable: (key: Key, slots: KeySlots, shape: FieldNames?)?
        fileprivate var others: [Key: (slots: KeySlots, shape: FieldNames?)] = [:]
    }

    init() { super.init(State()) }

    /// Forgets all tables.
    func reset() { state = State() }

    /// The table for a type of keys and the names of the fields; nil where there are too many tables.
    ///
    /// The names are held, so that no others get their address.
    func table(_ key: Key, _ shape: FieldNames?) -> Borrowed<KeySlots>? {
        guard let slots = known(key) ?? add(key, shape) else { return nil }
        state.last = (key, Borrowed(slots))
        return Borrowed(slots)
    }

    private func known(_ key: Key) -> KeySlots? {
        if let usual = state.usualTable, usual.key == key { return usual.slots }
        return state.others[key]?.slots
    }

    private func add(_ key: Key, _ shape: FieldNames?) -> KeySlots? {
        guard state.others.count < Self.mostTables, shape?.names.count ?? 0 < Int(Int16.max) else { return nil }
        let slots = KeySlots()
        if state.usualTable == nil {
            state.usualTable = (key, slots, shape)
        } else {
            state.others[key] = (slots, shape)
        }
        return slots
    }
}
