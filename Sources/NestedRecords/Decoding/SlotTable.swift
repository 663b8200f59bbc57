/// Where the fields of the keys of a type are in records of one shape, by the byte of the key.
final class SlotTable {
    static let unknown: Int16 = -2
    static let absent: Int16 = -1

    let keyType: ObjectIdentifier

    /// The shape, held so that no other array gets its address.
    let names: [String]

    @exclusivity(unchecked) var slots = ContiguousArray<Int16>(repeating: SlotTable.unknown, count: 256)

    init(keyType: ObjectIdentifier, names: [String]) {
        self.keyType = keyType
        self.names = names
    }
}

/// The slot tables of a call.
struct SlotTables {
    /// Records with more shapes than this have names that are data; their fields are looked up by name.
    private static let mostTables = 1_024

    private struct Origin: Hashable {
        let keyType: ObjectIdentifier
        let facts: ObjectIdentifier?
        let names: UnsafeRawPointer?
    }

    private var tables: [Origin: SlotTable] = [:]
    private var last: (origin: Origin, table: SlotTable)?

    /// The table for a type of keys, the record that they are the properties of, and the names of the fields.
    mutating func table<Key: CodingKey>(for _: Key.Type, _ facts: RecordFacts?, _ names: [String]) -> SlotTable? {
        // Records of one shape share the storage of their names, so its address stands for the shape.
        let address = names.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
        let keyType = ObjectIdentifier(Key.self)
        let origin = Origin(keyType: keyType, facts: facts.map(ObjectIdentifier.init), names: address)
        if let last, last.origin == origin { return last.table }
        guard names.count < Int(Int16.max) else { return nil }
        if let table = tables[origin] {
            last = (origin, table)
            return table
        }
        guard tables.count < Self.mostTables else { return nil }
        let table = SlotTable(keyType: keyType, names: names)
        tables[origin] = table
        last = (origin, table)
        return table
    }
}
