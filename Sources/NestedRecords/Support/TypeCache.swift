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
