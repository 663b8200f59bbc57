import NestedRecords

/// The numbers of the record types in an index, and the keys of IDs.
struct TypeTable: Sendable {
    private(set) var names: [String] = []
    private var types: [String: (number: UInt16, seed: UInt64)] = [:]
    let seed: UInt64

    /// All further types share this number; their records have the type's name.
    static let mostNumbers = 1 << 16 - 1

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The key of an ID; nil if there has never been a record of its type.
    func key(of id: Record.ID) -> UInt64? { types[id.type].map { Self.key(name: id.name, $0) } }

    /// The key of an ID; a new type gets a number.
    mutating func makeKey(of id: Record.ID) -> UInt64 {
        if let key = key(of: id) { return key }
        add(id.type)
        return key(of: id) ?? 0
    }

    mutating func add(_ name: String) {
        types[name] = Self.entry(name, number: names.count, seed: seed)
        names.append(name)
    }

    private static func entry(_ name: String, number: Int, seed: UInt64) -> (number: UInt16, seed: UInt64) {
        (UInt16(truncatingIfNeeded: min(number, mostNumbers)), XXH64.hash(utf8Of: name, seed: seed))
    }

    /// Makes the keys of IDs, most of which have the type of the preceding one.
    struct Keys {
        private let table: TypeTable
        private var type = ""
        private var found: (number: UInt16, seed: UInt64)?

        init(_ table: TypeTable) { self.table = table }

        /// The key of an ID; nil if there has never been a record of its type.
        @inline(__always)
        mutating func key(of id: Record.ID) -> UInt64? {
            if type != id.type {
                type = id.type
                found = table.types[type]
            }
            return found.map { TypeTable.key(name: id.name, $0) }
        }
    }

    /// The types that a batch adds.
    ///
    /// They are put into the table when the batch is written: copying the table takes time in proportion to its types.
    struct Additions {
        private(set) var names: [String] = []
        private var types: [String: (number: UInt16, seed: UInt64)] = [:]

        /// The number of types in the table.
        private let count: Int

        init(to table: TypeTable) { count = table.names.count }

        /// The key of an ID, and the locations of the records that may have it; nil if there has never been a record of
        /// its type.
        func key(of id: Record.ID, in view: inout OpenFile.View, _ places: inout [UInt64]) -> UInt64? {
            guard let key = view.types.key(of: id) else {
                return types[id.type].map { TypeTable.key(name: id.name, $0) }
            }
            view.index.forEachPlace(of: key) { places.append($0) }
            return key
        }

        /// The key of an ID, whose type is added if it is new, and the locations of the records that may have it.
        mutating func makeKey(of id: Record.ID, in view: inout OpenFile.View, _ places: inout [UInt64]) -> UInt64 {
            if let key = key(of: id, in: &view, &places) { return key }
            let type = TypeTable.entry(id.type, number: count + names.count, seed: view.seed)
            types[id.type] = type
            names.append(id.type)
            return TypeTable.key(name: id.name, type)
        }
    }

    func number(of type: String) -> UInt16? { types[type]?.number }

    /// The type of the records with a key; nil if several types share a number.
    func name(ofKey key: UInt64) -> String? {
        let number = Int(UInt16(truncatingIfNeeded: key))
        return number < min(Self.mostNumbers, names.count) ? names[number] : nil
    }

    private static func key(name: String, _ type: (number: UInt16, seed: UInt64)) -> UInt64 {
        XXH64.hash(utf8Of: name, seed: type.seed) & ~0xFFFF | UInt64(type.number)
    }
}
