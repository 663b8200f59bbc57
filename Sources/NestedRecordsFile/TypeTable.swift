import NestedRecords

/// The numbers of the record types in an index, and the keys of IDs.
struct TypeTable: Sendable {
    private(set) var names: [String] = []
    private var types: [String: (number: UInt16, seed: UInt64)] = [:]
    let seed: UInt64

    /// All further types share this number; their records say which type it is.
    static let mostNumbers = 1 << 16 - 1

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The key of an ID; nil if there has never been a record of its type.
    func key(of id: Record.ID) -> UInt64? { types[id.type].map { Self.key(name: id.name, $0) } }

    /// The key of an ID, whose type gets a number if it has none.
    mutating func makeKey(of id: Record.ID) -> UInt64 {
        if let key = key(of: id) { return key }
        add(id.type)
        return key(of: id) ?? 0
    }

    mutating func add(_ name: String) {
        let number = UInt16(truncatingIfNeeded: min(names.count, Self.mostNumbers))
        types[name] = (number, Self.hash(name, seed: seed))
        names.append(name)
    }

    /// The keys of IDs, of which most are of the type of the one before.
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

    func number(of type: String) -> UInt16? { types[type]?.number }

    /// The type of the records with a key; nil where several types share a number.
    func name(ofKey key: UInt64) -> String? {
        let number = Int(UInt16(truncatingIfNeeded: key))
        return number < min(Self.mostNumbers, names.count) ? names[number] : nil
    }

    private static func key(name: String, _ type: (number: UInt16, seed: UInt64)) -> UInt64 {
        hash(name, seed: type.seed) & ~0xFFFF | UInt64(type.number)
    }

    private static func hash(_ text: String, seed: UInt64) -> UInt64 {
        var text = text
        return text.withUTF8 { XXH64.hash(UnsafeRawBufferPointer($0), seed: seed) }
    }
}
