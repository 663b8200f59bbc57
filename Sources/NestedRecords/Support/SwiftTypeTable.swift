/// Values by Swift type.
///
/// The hash of a type is the address of its metadata, which callers cannot choose. A dictionary protects against chosen
/// keys and takes three times as long.
struct SwiftTypeTable<Value> {
    /// The types with their values, each at the place of its address or at the next free place.
    ///
    /// The number of places is a power of two, and at least half of them are free.
    private var places: ContiguousArray<(type: ObjectIdentifier, value: Value)?> = []
    private var count = 0

    /// With fewer places, the types of one value collide too often.
    private static var leastPlaceCount: Int { 64 }

    init() {}

    @inline(__always)
    subscript(type: ObjectIdentifier) -> Value? {
        if places.isEmpty { return nil }
        let place = firstPlace(of: type)
        if let found = places[place], found.type == type { return found.value }
        return places[self.place(of: type, from: place)]?.value
    }

    mutating func set(_ value: Value, for type: ObjectIdentifier) {
        if places.count <= 2 * count { grow() }
        let place = place(of: type, from: firstPlace(of: type))
        if places[place] == nil { count += 1 }
        places[place] = (type, value)
    }

    @inline(__always)
    private func firstPlace(of type: ObjectIdentifier) -> Int {
        // The upper bits of the product depend on all bits of the address.
        let product = UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product &>> UInt64(UInt64(places.count).leadingZeroBitCount + 1))
    }

    @inline(never)
    private func place(of type: ObjectIdentifier, from first: Int) -> Int {
        var place = first
        while let found = places[place], found.type != type { place = (place + 1) & (places.count - 1) }
        return place
    }

    private mutating func grow() {
        let former = places
        places = ContiguousArray(repeating: nil, count: max(Self.leastPlaceCount, 2 * former.count))
        for case let (type, value)? in former { places[place(of: type, from: firstPlace(of: type))] = (type, value) }
    }
}

/// A process-wide cache of facts about Swift types.
///
/// Invariant: cached facts do not change, and do not depend on the call that found them.
struct TypeCache<Info: Sendable>: Sendable {
    private let known = Lock(SwiftTypeTable<Info>())

    /// The facts about a type; the closure finds them outside of the lock, since it may call user code.
    func info(of type: Any.Type, _ find: () -> Info) -> Info {
        if let info = self[type] { return info }
        let info = find()
        set(info, for: type)
        return info
    }

    subscript(type: Any.Type) -> Info? { known.withLock { $0[ObjectIdentifier(type)] } }

    func set(_ info: Info, for type: Any.Type) { known.withLock { $0.set(info, for: ObjectIdentifier(type)) } }
}
