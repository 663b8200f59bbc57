@_spi(Engines) import NestedRecords

struct TypeTable: Sendable {
    private(set) var names: [String] = []
    private var types: [String: (number: UInt16, seed: UInt64)] = [:]
    let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The key of an ID; nil if there has never been a record of its type.
    @inline(__always)
    func key(of id: Record.ID) -> UInt64? { types[id.type].map { Self.key(name: id.name, $0) } }

    mutating func makeKey(of id: Record.ID) throws -> UInt64 {
        guard let type = types[id.type] ?? add(id.type) else {
            throw RecordDatabaseError(.unsupported, reason: "more than 65,536 record types in a file")
        }
        return Self.key(name: id.name, type)
    }

    @discardableResult
    mutating func add(_ name: String) -> (number: UInt16, seed: UInt64)? {
        guard let number = UInt16(exactly: names.count) else { return nil }
        let type = (number, XXH64.hash(utf8Of: name, seed: seed))
        types[name] = type
        names.append(name)
        return type
    }

    func number(of type: String) -> UInt16? { types[type]?.number }

    /// The type of the records with a key; nil for a key that no record of these types has.
    func name(ofKey key: UInt64) -> String? {
        let number = Int(UInt16(truncatingIfNeeded: key))
        return number < names.count ? names[number] : nil
    }

    private static func key(name: String, _ type: (number: UInt16, seed: UInt64)) -> UInt64 {
        XXH64.hash(utf8Of: name, seed: type.seed) & ~0xFFFF | UInt64(type.number)
    }
}
