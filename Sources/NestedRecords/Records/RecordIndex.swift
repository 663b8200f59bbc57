/// A hash table from record IDs to positions in an array of records, which is kept elsewhere.
///
/// A slot holds 32 bits of the hash and the position plus one; the same bits choose the bucket, so growing never reads
/// an ID again. Look-ups are several times as fast as in a `Dictionary` of IDs, and a slot takes 8 bytes.
struct RecordIndex: Sendable {
    private var slots: ContiguousArray<UInt64>
    private var count = 0

    // Random, so that names that collide in one process do not collide in the next. The hash is not cryptographic: an
    // attacker who can measure many look-ups in a running process may find colliding names. They are still found, in
    // time that grows with their number.
    private static let seed = UInt64.random(in: .min ... .max)

    private static let hashBits: UInt64 = 0xFFFF_FFFF_0000_0000
    static let empty = RecordIndex()

    init(capacity: Int = 0) {
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        slots = ContiguousArray(repeating: 0, count: size)
    }

    static func hash(of id: Record.ID) -> UInt64 { hash(ofType: hash(ofType: id.type), name: id.name) }

    static func hash(ofType type: String) -> UInt64 { type.foldBytes(into: seed) }

    static func hash(ofType typeHash: UInt64, name: String) -> UInt64 { name.foldBytes(into: typeHash) }

    /// The hash of other bytes, for tables of what they identify.
    static func hash(of bytes: BytesInPlace) -> UInt64 { bytes.foldBytes(into: seed) }

    // The same for the UTF-8 of a type and a name.
    static func hash(ofType type: BytesInPlace) -> UInt64 { type.foldBytes(into: seed) }
    static func hash(ofType typeHash: UInt64, name: BytesInPlace) -> UInt64 { name.foldBytes(into: typeHash) }

    @inline(__always)
    func find(_ hash: UInt64, where matches: (Int) -> Bool) -> Int? {
        let tag = hash & Self.hashBits
        let mask = slots.count - 1
        var bucket = Int(truncatingIfNeeded: hash >> 32) & mask
        while true {
            let slot = slots[bucket]
            if slot == 0 { return nil }
            if slot & Self.hashBits == tag {
                let position = Int(truncatingIfNeeded: slot & ~Self.hashBits) - 1
                if matches(position) { return position }
            }
            bucket = (bucket + 1) & mask
        }
    }

    mutating func insert(_ hash: UInt64, at position: Int) {
        if (count + 1) * 4 > slots.count * 3 { resize(slots.count * 2) }
        count += 1
        place(hash & Self.hashBits | UInt64(truncatingIfNeeded: position + 1))
    }

    private mutating func place(_ slot: UInt64) {
        let mask = slots.count - 1
        var bucket = Int(truncatingIfNeeded: slot >> 32) & mask
        while slots[bucket] != 0 { bucket = (bucket + 1) & mask }
        slots[bucket] = slot
    }

    private mutating func resize(_ size: Int) {
        let old = slots
        slots = ContiguousArray(repeating: 0, count: size)
        for slot in old where slot != 0 { place(slot) }
    }

    mutating func reserve(_ capacity: Int) {
        var size = slots.count
        while size * 3 < capacity * 4 { size *= 2 }
        if size > slots.count { resize(size) }
    }
}

extension RecordIndex {
    func position(of id: Record.ID, in records: ContiguousArray<Record>) -> Int? {
        find(Self.hash(of: id)) { records[$0].id == id }
    }

    /// The position of a record, which is mostly the hint: then nothing is hashed.
    func position(of id: Record.ID, in records: ContiguousArray<Record>, near hint: Int) -> Int? {
        if hint < records.count, records[hint].id == id { return hint }
        return position(of: id, in: records)
    }
}
