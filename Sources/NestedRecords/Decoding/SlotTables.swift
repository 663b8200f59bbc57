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

        fileprivate var tables: [Key: KeySlots] = [:]

        /// The shapes, held so that no other one gets the address of one of them.
        fileprivate var shapes: [FieldNames] = []
    }

    init() { super.init(State()) }

    /// The table for a type of keys and the names of the fields; nil where there are too many tables.
    func table(_ key: Key, _ shape: FieldNames?) -> Borrowed<KeySlots>? {
        if let known = state.tables[key] {
            state.last = (key, Borrowed(known))
            return Borrowed(known)
        }
        guard state.tables.count < Self.mostTables, shape?.names.count ?? 0 < Int(Int16.max) else { return nil }
        let made = KeySlots()
        state.tables[key] = made
        if let shape { state.shapes.append(shape) }
        state.last = (key, Borrowed(made))
        return Borrowed(made)
    }
}
