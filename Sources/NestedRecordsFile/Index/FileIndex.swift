@_spi(Engines) import NestedRecords

/// The location of the newest version of each record in a file.
///
/// A hash table of 16 bytes a slot, at most three quarters full. The IDs themselves stay in the file.
struct FileIndex: Sendable {
    struct Slot {
        /// 48 bits of the ID's hash, and the number of its type.
        var key: UInt64 = 0

        /// 40 bits of offset and 24 bits of length; 0 for a free slot.
        var place: UInt64 = 0
    }

    private(set) var slots = ContiguousArray(repeating: Slot(), count: 16)
    private(set) var count = 0

    init() {}

    private var mask: Int { slots.count - 1 }

    private func home(of key: UInt64) -> Int { Int(truncatingIfNeeded: key >> 16) & mask }

    @inline(__always)
    func forEachPlace(of key: UInt64, _ body: (UInt64) throws -> Void) rethrows {
        var position = home(of: key)
        while slots[position].place != 0 {
            if slots[position].key == key { try body(slots[position].place) }
            position = (position + 1) & mask
        }
    }

    mutating func insert(_ key: UInt64, at place: UInt64) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        count += 1
        put(Slot(key: key, place: place))
    }

    private mutating func put(_ slot: Slot) {
        var position = home(of: slot.key)
        while slots[position].place != 0 { position = (position + 1) & mask }
        slots[position] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = ContiguousArray(repeating: Slot(), count: old.count * 2)
        for slot in old where slot.place != 0 { put(slot) }
    }

    private func position(of key: UInt64, at place: UInt64) -> Int? {
        var position = home(of: key)
        while slots[position].place != 0 {
            if slots[position].place == place, slots[position].key == key { return position }
            position = (position + 1) & mask
        }
        return nil
    }

    func contains(_ key: UInt64, at place: UInt64) -> Bool { position(of: key, at: place) != nil }

    mutating func move(_ key: UInt64, from old: UInt64, to new: UInt64) {
        guard let position = position(of: key, at: old) else { return insert(key, at: new) }
        slots[position].place = new
    }

    /// Frees a slot, and closes the gap so that all others can still be found from their home slots.
    mutating func remove(_ key: UInt64, at place: UInt64) {
        guard var gap = position(of: key, at: place) else { return }
        count -= 1
        var next = (gap + 1) & mask
        while slots[next].place != 0 {
            let distance = (next - home(of: slots[next].key)) & mask
            if distance >= (next - gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        slots[gap] = Slot()
    }

    func places(ofType number: UInt16? = nil) -> [UInt64] {
        var places = unsortedPlaces(ofType: number)
        places.sortByOffset()
        return places
    }

    func unsortedPlaces(ofType number: UInt16? = nil) -> [UInt64] {
        // The slots are in random order, so that a branch for each would be mispredicted too often: each is written,
        // and the next one overwrites it unless it is wanted.
        let wanted = UInt64(number ?? 0)
        let mask: UInt64 = number == nil ? 0 : 0xFFFF
        return Array(unsafeUninitializedCapacity: count + 1) { places, found in
            for slot in slots {
                places.initializeElement(at: min(found, count), to: slot.place)
                found += (slot.place != 0 ? 1 : 0) & (slot.key & mask == wanted ? 1 : 0)
            }
            found = min(found, count)
        }
    }

    func count(ofType number: UInt16) -> Int {
        slots.reduce(0) { $0 + ($1.place != 0 && UInt16(truncatingIfNeeded: $1.key) == number ? 1 : 0) }
    }
}

extension [UInt64] {
    /// Sorts locations in the order of the file; many of them by counting the digits of their offsets.
    ///
    /// A query sorts the locations of all records of a type. In a profile of a query over 1,000 records comparing took
    /// 5 % of the time, and its share grows with their number. Invariant: each location is put after those with smaller
    /// digits and those before it with the same digit, at a position of its own.
    fileprivate mutating func sortByOffset() {
        guard count > 1_000, let last = self.max() else { return sort() }
        var spare = [UInt64](repeating: 0, count: count)
        let bits = 11
        var shift = EntryLocation.lengthBits
        while shift < UInt64.bitWidth, last >> UInt64(shift) != 0 {
            func digit(_ place: UInt64) -> Int { Int(truncatingIfNeeded: place >> UInt64(shift)) & (1 << bits - 1) }
            var starts = ContiguousArray(repeating: 0, count: 1 << bits)
            for place in self { starts[digit(place)] += 1 }
            var end = 0
            for value in starts.indices { (starts[value], end) = (end, end + starts[value]) }
            for place in self {
                spare[starts[digit(place)]] = place
                starts[digit(place)] += 1
            }
            swap(&self, &spare)
            shift += bits
        }
    }
}

/// The change of one record by a batch: its old and its new location, 0 for none.
struct IndexChange {
    let key: UInt64
    let old: UInt64
    let new: UInt64
    let liveBytes: Int
}

extension FileIndex {
    mutating func apply(_ change: IndexChange) {
        switch (change.old, change.new) {
        case (0, 0): break
        case (0, let new): insert(change.key, at: new)
        case (let old, 0): remove(change.key, at: old)
        case (let old, let new): move(change.key, from: old, to: new)
        }
    }
}

// MARK: Saving

extension FileIndex {
    /// Calls the closure with the slots in their file format, numbers in little-endian order.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        #if _endian(little)
        return try slots.withUnsafeBytes(body)
        #else
        let swapped = slots.map { Slot(key: $0.key.littleEndian, place: $0.place.littleEndian) }
        return try swapped.withUnsafeBytes(body)
        #endif
    }

    /// Reads slots from a file into their place in memory; nil if they are not valid.
    init?(
        _ file: StorageFile, _ range: Range<Int>, count: Int, isWhole: (UnsafeRawBufferPointer) -> Bool
    ) throws {
        let size = range.count / MemoryLayout<Slot>.size
        guard size >= 16, size & (size - 1) == 0, range.count == size * MemoryLayout<Slot>.size, count <= size / 4 * 3
        else { return nil }
        var used = 0
        slots = try ContiguousArray(unsafeUninitializedCapacity: size) { slots, initialized in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(slots)[..<range.count])
            guard try file.read(into: bytes, at: range.lowerBound) == range.count,
                isWhole(UnsafeRawBufferPointer(bytes))
            else { return }
            initialized = size
            #if !_endian(little)
            for position in 0..<size {
                slots[position].key = UInt64(littleEndian: slots[position].key)
                slots[position].place = UInt64(littleEndian: slots[position].place)
            }
            #endif
            // A table without a free slot would be searched forever. Free slots are in random order: a branch for each
            // would be mispredicted too often.
            used = slots.reduce(0) { $0 &+ Int(truncatingIfNeeded: ($1.place | (0 &- $1.place)) &>> 63) }
        }
        guard !slots.isEmpty, used == count else { return nil }
        self.count = count
    }
}
