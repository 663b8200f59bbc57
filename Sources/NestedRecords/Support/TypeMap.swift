/// Facts about Swift types for a series of calls, by type.
///
/// Invariant: an entry stays until the call ends, and may be borrowed for as long.
struct TypeMap<Info: TypeMapEntry>: ~Copyable {
    private var table = SwiftTypeTable<Borrowed<Info>>()
    private var all: [Info] = []
    private(set) var opened: [Borrowed<Info>] = []

    /// With more entries than this, none is kept for the next call: most types are not used again.
    private static var mostKept: Int { 256 }

    init() {}

    /// The entry of a type, nil if the current call does not use it yet.
    @inline(__always)
    func find(_ type: Any.Type) -> Borrowed<Info>? {
        guard let found = table[ObjectIdentifier(type)], found.with({ $0.state.isOpen }) else { return nil }
        return found
    }

    func known(_ type: Any.Type) -> Borrowed<Info>? { table[ObjectIdentifier(type)] }

    /// Adds an entry; returns that of the type, which may be an earlier one added by user code.
    mutating func add(_ info: Info, for type: Any.Type) -> Borrowed<Info> {
        if let known = known(type) { return known }
        all.append(info)
        table.set(Borrowed(info), for: ObjectIdentifier(type))
        return Borrowed(info)
    }

    /// Begins the use of an entry; returns whether the current call did not use it before.
    mutating func open(_ info: Borrowed<Info>) -> Bool {
        if info.with({ $0.state.isOpen }) { return false }
        info.with { $0.state.isOpen = true }
        opened.append(info)
        return true
    }

    mutating func reset(_ reset: (Info) -> Void) {
        for info in opened {
            info.with {
                reset($0)
                $0.state.isOpen = false
            }
        }
        opened.removeAll(keepingCapacity: true)
        if all.count > Self.mostKept { (table, all) = (SwiftTypeTable(), []) }
    }
}

class TypeMapEntry: UncheckedObject<TypeMapEntry.State> {
    struct State {
        fileprivate var isOpen = false
    }

    init() { super.init(State()) }
}
