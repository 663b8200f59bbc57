/// Keeps a keyed container so that the next value of the same type need not make a new one.
///
/// The standard library puts every keyed container into an object of its own, which is half of the allocations of an
/// encoder. `KeyedEncodingContainer` and `KeyedDecodingContainer` are one strong reference to that object. Should that
/// change, their size does too, and containers are no longer kept.
struct ReusableContainer {
    private var object: AnyObject?
    private var keyType: ObjectIdentifier?

    /// Whether a container is out of which nothing is known.
    private var hasLost = false

    /// Whether nobody else holds a container: then it may be handed out for another value.
    var isFree: Bool {
        @inline(__always)
        mutating get { !hasLost && (object == nil || isKnownUniquelyReferenced(&object)) }
    }

    /// The object of the container for a type of keys: the same bits as the container that was kept for that type.
    @inline(__always)
    func object<Key: CodingKey>(keyedBy _: Key.Type) -> AnyObject? {
        keyType == ObjectIdentifier(Key.self) ? object : nil
    }

    @inline(never)
    mutating func keep<Container, Key: CodingKey>(_ container: Container, keyedBy _: Key.Type) {
        guard isFree, MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else {
            hasLost = true
            return
        }
        object = unsafeBitCast(container, to: AnyObject.self)
        keyType = ObjectIdentifier(Key.self)
    }
}
