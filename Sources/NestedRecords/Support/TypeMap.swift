/// What one call knows of Swift types, by type.
///
/// A type is looked up for every value, so the recent ones are in a small table that is indexed by the type's address.
/// Each type has two places there, so that two types of one record seldom displace each other.
/// What is in the table stays there until the table goes: it may be borrowed for as long.
struct TypeMap<Info: AnyObject>: ~Copyable {
    private var recent: ContiguousArray<(type: ObjectIdentifier, info: Borrowed<Info>)?> = []
    private(set) var all: [(type: ObjectIdentifier, info: Info)] = []

    /// The positions of the types, where there are more than a few.
    private var positions: [ObjectIdentifier: Int] = [:]
    private static var mostUnindexed: Int { 16 }
    private static var sizeBits: UInt { 6 }

    /// What earlier calls have made, for types that this call has not met.
    private var idle: [(type: ObjectIdentifier, info: Info)] = []
    private static var mostIdle: Int { 64 }

    init() {}

    /// What is known of a type, nil if nothing is.
    @inline(__always)
    mutating func find(_ type: Any.Type) -> Borrowed<Info>? {
        let id = ObjectIdentifier(type)
        let place = Self.place(of: id)
        if place < recent.count, let found = recent[place], found.type == id { return found.info }
        return findLess(id, place)
    }

    @inline(__always)
    private static func place(of id: ObjectIdentifier) -> Int {
        // The upper bits of the product depend on all bits of the address.
        let product = UInt64(UInt(bitPattern: id)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product >> (64 - UInt64(sizeBits)))
    }

    @inline(never)
    private mutating func findLess(_ id: ObjectIdentifier, _ place: Int) -> Borrowed<Info>? {
        if place < recent.count, let found = recent[place ^ 1], found.type == id { return found.info }
        guard let info = known(id) else { return nil }
        note(id, info, at: place)
        return info
    }

    private func known(_ id: ObjectIdentifier) -> Borrowed<Info>? {
        if !positions.isEmpty { return positions[id].map { Borrowed(all[$0].info) } }
        return all.first { $0.type == id }.map { Borrowed($0.info) }
    }

    private mutating func note(_ id: ObjectIdentifier, _ info: Borrowed<Info>, at place: Int) {
        if recent.isEmpty { recent = ContiguousArray(repeating: nil, count: 1 << Self.sizeBits) }
        // The other place may be a type's own: it is only taken for a type that is displaced.
        if recent[place] != nil { recent[place ^ 1] = recent[place] }
        recent[place] = (id, info)
    }

    /// Takes out what an earlier call has made for a type; nil if there is nothing.
    mutating func takeIdle(_ type: Any.Type) -> Info? {
        let id = ObjectIdentifier(type)
        guard let position = idle.firstIndex(where: { $0.type == id }) else { return nil }
        let last = idle.count - 1
        if position != last { idle.swapAt(position, last) }
        return idle.popLast()?.info
    }

    /// Forgets all types, and keeps what another call can use.
    mutating func reset(_ isReusable: (Info) -> Bool) {
        while let entry = all.popLast() {
            if isReusable(entry.info), idle.count < Self.mostIdle { idle.append(entry) }
        }
        if !positions.isEmpty { positions = [:] }
        for place in recent.indices { recent[place] = nil }
    }

    /// Adds what is known of a type of which nothing was known.
    mutating func insert(_ info: Info, for type: Any.Type) -> Borrowed<Info> {
        let id = ObjectIdentifier(type)
        // User code that ran while the info was made may have added one.
        if let known = known(id) { return known }
        all.append((id, info))
        if all.count > Self.mostUnindexed {
            for position in positions.count..<all.count { positions[all[position].type] = position }
        }
        note(id, Borrowed(info), at: Self.place(of: id))
        return Borrowed(info)
    }
}
