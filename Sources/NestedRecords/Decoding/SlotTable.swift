/// Where the fields of the keys of a type are in records of one shape, by the byte of the key.
final class SlotTable {
    static let unknown: Int16 = -2
    static let absent: Int16 = -1

    let keyType: ObjectIdentifier

    /// The record that the keys are properties of.
    private let facts: RecordFacts?

    /// The shape, held so that no other array gets its address.
    private let names: [String]

    @exclusivity(unchecked) var slots = ContiguousArray<Int16>(repeating: SlotTable.unknown, count: 256)

    init(keyType: ObjectIdentifier, _ facts: RecordFacts?, names: [String]) {
        self.keyType = keyType
        self.facts = facts
        self.names = names
    }

    func isFor(_ facts: RecordFacts?, _ names: [String]) -> Bool {
        self.facts === facts && self.names.storageAddress == names.storageAddress
    }
}

extension [String] {
    /// Records of one shape share the storage of their names, so its address stands for the shape.
    fileprivate var storageAddress: UnsafeRawPointer? {
        withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
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

    var count: Int { tables.count }

    /// The table for a type of keys, the record that they are the properties of, and the names of the fields.
    mutating func table<Key: CodingKey>(for _: Key.Type, _ facts: RecordFacts?, _ names: [String]) -> SlotTable? {
        let keyType = ObjectIdentifier(Key.self)
        let origin = Origin(keyType: keyType, facts: facts.map(ObjectIdentifier.init), names: names.storageAddress)
        if let table = tables[origin] { return table }
        guard tables.count < Self.mostTables, names.count < Int(Int16.max) else { return nil }
        let table = SlotTable(keyType: keyType, facts, names: names)
        tables[origin] = table
        return table
    }
}
