/// The keys of a document, each once, compared byte by byte.
struct KeyTable: Sendable {
    private(set) var keys: [String] = []

    /// Positions of keys plus one, by their hashes; 0 is free.
    ///
    /// The number of slots is a power of two.
    private var slots: [UInt32] = Array(repeating: 0, count: 256)

    func position(of key: BytesInPlace) -> UInt32? {
        let found = slots[slot(of: key)]
        return found == 0 ? nil : found - 1
    }

    /// The position of a key, which is added if it is new.
    mutating func add(_ key: BytesInPlace) -> UInt32 {
        let slot = slot(of: key)
        if slots[slot] != 0 { return slots[slot] - 1 }
        keys.append(key.repairedString)
        slots[slot] = UInt32(keys.count)
        if 2 * keys.count > slots.count { grow() }
        return UInt32(keys.count - 1)
    }

    private func slot(of key: BytesInPlace) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: key.foldBytes(into: 0)) & mask
        while slots[slot] != 0, !keys[Int(slots[slot] - 1)].hasSameBytes(as: key) { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: 4 * slots.count)
        for (position, key) in keys.enumerated() { slots[key.withBytesInPlace { slot(of: $0) }] = UInt32(position + 1) }
    }
}
