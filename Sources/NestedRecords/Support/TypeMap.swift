/// What calls know of Swift types, by type: one call after the other.
///
/// A call opens what an earlier one has left before it uses it.
///
/// Invariant: whatever is here stays until the call ends, and may be borrowed for as long.
struct TypeMap<Info: TypeMapEntry>: ~Copyable {
    private var table = SwiftTypeTable<Borrowed<Info>>()

    /// What the table refers to.
    private var all: [(type: ObjectIdentifier, info: Info)] = []

    /// What something new has taken the place of in the present call.
    private var replaced: [Info] = []

    /// What the present call has opened.
    private(set) var opened: [Borrowed<Info>] = []

    /// No more than this is left for another call.
    private static var mostKept: Int { 64 }

    init() {}

    /// What the call knows of a type, nil if nothing is open.
    @inline(__always)
    func find(_ type: Any.Type) -> Borrowed<Info>? {
        guard let found = table[ObjectIdentifier(type)], found.with({ $0.isOpen }) else { return nil }
        return found
    }

    /// What an earlier call has left for a type that this call has not met; nil if there is nothing.
    func idle(_ type: Any.Type) -> Borrowed<Info>? {
        guard let found = table[ObjectIdentifier(type)], found.with({ !$0.isOpen }) else { return nil }
        return found
    }

    /// Opens what is idle.
    mutating func open(_ idle: Borrowed<Info>) {
        idle.with { $0.isOpen = true }
        opened.append(idle)
    }

    /// Opens something new for a type.
    ///
    /// - Returns: What is open for the type now: user code that ran meanwhile may have opened something else.
    mutating func open(_ info: Info, for type: Any.Type) -> Borrowed<Info> {
        if let known = find(type) { return known }
        let id = ObjectIdentifier(type)
        if let position = all.firstIndex(where: { $0.type == id }) {
            replaced.append(all[position].info)
            all[position].info = info
        } else {
            all.append((id, info))
        }
        table.set(Borrowed(info), for: id)
        open(Borrowed(info))
        return Borrowed(info)
    }

    /// Ends the call, and leaves for another one what that can use.
    mutating func reset(_ isReusable: (Info) -> Bool) {
        var areAllReusable = all.count <= Self.mostKept
        for info in opened {
            info.with { info in
                info.isOpen = false
                info.isUnusable = !isReusable(info)
                areAllReusable = areAllReusable && !info.isUnusable
            }
        }
        opened.removeAll(keepingCapacity: true)
        if !replaced.isEmpty { replaced = [] }
        if !areAllReusable { removeUnusable() }
    }

    @inline(never)
    private mutating func removeUnusable() {
        all = Array(all.filter { !$0.info.isUnusable }.suffix(Self.mostKept))
        table = SwiftTypeTable()
        for (type, info) in all { table.set(Borrowed(info), for: type) }
    }
}

/// What a ``TypeMap`` holds for a type.
class TypeMapEntry: UncheckedObject<TypeMapEntry.State> {
    struct State {
        fileprivate var isOpen = false
        fileprivate var isUnusable = false
    }

    init() { super.init(State()) }

    /// Whether the present call has opened it.
    fileprivate final var isOpen: Bool {
        get { state.isOpen }
        set { state.isOpen = newValue }
    }

    /// Whether no further call can use it.
    fileprivate final var isUnusable: Bool {
        get { state.isUnusable }
        set { state.isUnusable = newValue }
    }
}
