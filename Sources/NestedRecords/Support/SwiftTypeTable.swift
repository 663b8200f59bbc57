/// Values by Swift type.
///
/// Types are told apart by the addresses of their metadata, which no caller can choose. A dictionary guards against chosen
/// keys: it takes three times as long.
struct SwiftTypeTable<Value> {
    /// The types with their values, each at the place that its address gives or at the next free one behind it.
    ///
    /// Their number is a power of two, and at least half of them are free.
    private var places: ContiguousArray<(type: ObjectIdentifier, value: Value)?> = []
    private var count = 0

    /// With fewer places the types of one value too often get the same ones.
    private static var leastPlaceCount: Int { 64 }

    init() {}

    /// The value of a type, nil if there is none.
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

    /// The place of a type, or the free one where it belongs.
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

/// What was found out about Swift types, for the whole process.
///
/// Invariant: what is kept does not change, and does not depend on the call that found it out.
struct TypeCache<Info: Sendable>: Sendable {
    private let known = Lock(SwiftTypeTable<Info>())

    /// What is known of a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - find: Finds out about a type of which nothing is known. It runs outside of the lock: it may ask user code.
    func info(of type: Any.Type, _ find: () -> Info) -> Info {
        if let info = self[type] { return info }
        let info = find()
        set(info, for: type)
        return info
    }

    subscript(type: Any.Type) -> Info? { known.withLock { $0[ObjectIdentifier(type)] } }

    func set(_ info: Info, for type: Any.Type) { known.withLock { $0.set(info, for: ObjectIdentifier(type)) } }
}
