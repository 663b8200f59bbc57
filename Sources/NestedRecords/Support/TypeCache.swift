/// What a call has found out about Swift types, by type.
///
/// Looking a type up comes with every value, so the recent ones are in a small table that is indexed by the
/// type's address. Each type has two slots, so that two types of one record seldom evict each other: the
/// addresses are other ones in every process.
struct TypeCache<Info: AnyObject> {
    private var recent: ContiguousArray<(type: ObjectIdentifier?, typeInfo: Info?)>
    private var all: [ObjectIdentifier: Info] = [:]
    private static var sizeBits: UInt { 9 }

    var count: Int { all.count }

    init() {
        recent = ContiguousArray(repeating: (nil, nil), count: 1 << Self.sizeBits)
    }

    /// The typeInfo about a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - make: Finds the typeInfo when they are not known yet.
    @inline(__always)
    mutating func typeInfo(about type: Any.Type, _ make: () -> Info) -> Info {
        let id = ObjectIdentifier(type)
        // The upper bits of the product depend on all bits of the address.
        let product = UInt64(UInt(bitPattern: id)) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(truncatingIfNeeded: product >> (64 - UInt64(Self.sizeBits)))
        if recent[place].type == id, let typeInfo = recent[place].typeInfo { return typeInfo }
        return find(id, place, make)
    }

    @inline(never)
    private mutating func find(_ id: ObjectIdentifier, _ place: Int, _ make: () -> Info) -> Info {
        let other = place ^ 1
        if recent[other].type == id, let typeInfo = recent[other].typeInfo { return typeInfo }
        let typeInfo = all[id] ?? make()
        all[id] = typeInfo
        // Not where nothing is to be saved: the other place may be a type's own.
        if recent[place].type != nil { recent[other] = recent[place] }
        recent[place] = (id, typeInfo)
        return typeInfo
    }
}
