/// Keeps a keyed container so that the next value of the same type need not make a new one.
///
/// The standard library puts every keyed container into an object of its own, which is half of the allocations of an
/// encoder. A box may be handed out for another value only while nobody else holds that object.
final class ContainerBox<Container>: AnyContainerBox {
    var container: Container

    init(_ container: Container) { self.container = container }

    /// `KeyedEncodingContainer` and `KeyedDecodingContainer` are one strong reference to their object. Should that
    /// change, the size does too, and containers are no longer reused.
    override var isUnique: Bool {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else { return false }
        return withUnsafeMutablePointer(to: &container) {
            $0.withMemoryRebound(to: AnyObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }
}

/// A ``ContainerBox`` of whatever container.
class AnyContainerBox {
    /// Whether nobody but this box holds the container's object.
    var isUnique: Bool { false }
}
