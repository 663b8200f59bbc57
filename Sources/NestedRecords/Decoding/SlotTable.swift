/// Where the fields of the keys of a type are in records of one shape, by the byte of the key.
final class SlotTable {
    static let unknown: Int16 = -2
    static let absent: Int16 = -1

    private static let size = 256

    /// The shape, held so that no other shape gets its address.
    private let shape: FieldNames?

    /// One position for each byte; they are there as long as the table is.
    private let positions: UnsafeMutablePointer<Int16>

    /// Whether a position was noted in this attempt.
    private var isUsed = false

    init(_ shape: FieldNames?) {
        self.shape = shape
        positions = .allocate(capacity: Self.size)
        positions.initialize(repeating: Self.unknown, count: Self.size)
    }

    deinit { positions.deallocate() }

    var names: [String] { shape?.names ?? [] }

    subscript(byte: UInt8) -> Int16 {
        @inline(__always)
        get {
            positions[Int(byte)]
        }
        set {
            isUsed = true
            positions[Int(byte)] = newValue
        }
    }

    /// Forgets the positions: in another attempt keys may have other strings.
    func forget() {
        guard isUsed else { return }
        isUsed = false
        positions.update(repeating: Self.unknown, count: Self.size)
    }
}

/// The slot tables of a session.
struct SlotTables {
    /// Records with more shapes than this have names that are data; their fields are looked up by name.
    private static let mostTables = 1_024

    private var tables: [SlotOrigin: SlotTable] = [:]

    fileprivate static let placesExponent = 6

    /// The tables that were asked for last, by the addresses that they are for.
    private var recent: ContiguousArray<(origin: SlotOrigin, table: SlotTable)?>

    init() { recent = ContiguousArray(repeating: nil, count: 1 << Self.placesExponent) }

    var count: Int { tables.count }

    /// The table for a type of keys, the record that they are the properties of, and the names of the fields.
    mutating func table(for origin: SlotOrigin, names: () -> FieldNames?) -> SlotTable? {
        let place = origin.place
        if let recent = recent[place], recent.origin == origin { return recent.table }
        guard let table = find(origin, names()) else { return nil }
        recent[place] = (origin, table)
        return table
    }

    private mutating func find(_ origin: SlotOrigin, _ shape: FieldNames?) -> SlotTable? {
        if let table = tables[origin] { return table }
        guard tables.count < Self.mostTables, shape?.names.count ?? 0 < Int(Int16.max) else { return nil }
        let table = SlotTable(shape)
        tables[origin] = table
        return table
    }

    func forgetPositions() {
        for table in tables.values { table.forget() }
    }
}

/// What a slot table is for.
struct SlotOrigin: Hashable {
    /// The type of the keys.
    let keyType: ObjectIdentifier

    /// What is known of the record whose properties the keys are.
    let typeInfo: UnsafeRawPointer?

    /// The names of the fields, nil if there are none.
    let shape: ObjectIdentifier?

    /// The place of the table among those that were asked for last.
    fileprivate var place: Int {
        let address = UInt(bitPattern: keyType) ^ (shape.map { UInt(bitPattern: $0) } ?? 0)
        let product = UInt64(address) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product &>> (64 - SlotTables.placesExponent))
    }
}
