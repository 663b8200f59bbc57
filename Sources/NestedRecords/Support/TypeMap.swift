/// What calls know of Swift types, by type: one call after the other.
///
/// A call opens what an earlier one has left before it uses it.
///
/// Invariant: whatever is here stays until the call ends, and may be borrowed for as long.
struct TypeMap<Info: TypeMapEntry>: ~Copyable {
    private var table = SwiftTypeTable<Borrowed<Info>>()

    /// What the table refers to.
    private var all: [Info] = []

    /// What something new has taken the place of in the present call.
    private var replaced: [Info] = []

    /// What the present call has opened.
    private(set) var opened: [Borrowed<Info>] = []

    /// If there is more than this, nothing is left for another call: as a rule it is of types that are not used again.
    private static var mostKept: Int { 256 }

    init() {}

    /// What the call knows of a type, nil if nothing is open.
    @inline(__always)
    func find(_ type: Any.Type) -> Borrowed<Info>? {
        guard let found = table[ObjectIdentifier(type)], found.with({ $0.state.stage == .open }) else { return nil }
        return found
    }

    /// What an earlier call has left for a type that this call has not met; nil if there is nothing.
    func idle(_ type: Any.Type) -> Borrowed<Info>? {
        guard let found = table[ObjectIdentifier(type)], found.with({ $0.state.stage == .idle }) else { return nil }
        return found
    }

    /// Opens what is idle.
    mutating func open(_ idle: Borrowed<Info>) {
        idle.with { $0.state.stage = .open }
        opened.append(idle)
    }

    /// Opens something new for a type.
    ///
    /// - Returns: What is open for the type now: user code that ran meanwhile may have opened something else.
    mutating func open(_ info: Info, for type: Any.Type) -> Borrowed<Info> {
        if let known = find(type) { return known }
        let id = ObjectIdentifier(type)
        if let former = table[id]?.object, let position = all.firstIndex(where: { $0 === former }) {
            replaced.append(former)
            all[position] = info
        } else {
            all.append(info)
        }
        table.set(Borrowed(info), for: id)
        open(Borrowed(info))
        return Borrowed(info)
    }

    /// Ends the call, and leaves for another one what that can use.
    mutating func reset(_ isReusable: (Info) -> Bool) {
        for info in opened { info.with { $0.state.stage = isReusable($0) ? .idle : .replaceable } }
        opened.removeAll(keepingCapacity: true)
        if !replaced.isEmpty { replaced = [] }
        if all.count > Self.mostKept { (table, all) = (SwiftTypeTable(), []) }
    }
}

/// What a ``TypeMap`` holds for a type.
class TypeMapEntry: UncheckedObject<TypeMapEntry.State> {
    struct State {
        fileprivate var stage = Stage.idle
    }

    fileprivate enum Stage {
        /// An earlier call has left it.
        case idle

        /// The present call has opened it.
        case open

        /// No further call can use it: the next one that meets the type makes a new one.
        case replaceable
    }

    init() { super.init(State()) }
}
