/// The keyed containers that one encoder or decoder handed out.
///
/// The standard library puts every keyed container into an object of its own, which is half of the allocations of an
/// encoder. Two are kept, so that the next value of the same type need not make a new one: lists of two types often
/// follow each other, and a class and its superclass write to one encoder. What is kept serves another value only while
/// nobody else holds its object.
///
/// `KeyedEncodingContainer` and `KeyedDecodingContainer` are one strong reference to their object. Should that change,
/// their size does too, and containers are no longer kept.
struct HandedOutContainers {
    /// The object of the container that was used last: the same bits as the container.
    private var object: AnyObject?
    private var maker: AnyContainerMaker?

    /// The same of the container that was used before.
    private var otherObject: AnyObject?
    private var otherMaker: AnyContainerMaker?

    /// Whether there is a container of which it is not known whether somebody holds it.
    private var hasOthers = false

    /// Whether nobody holds a container.
    var areFree: Bool {
        @inline(__always)
        mutating get {
            !hasOthers && (object == nil || isKnownUniquelyReferenced(&object))
                && (otherObject == nil || isKnownUniquelyReferenced(&otherObject))
        }
    }

    /// Keeps a container, or notes that it cannot be kept.
    mutating func keep<Container, Key: CodingKey>(_ container: Container, keyedBy _: Key.Type) {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size,
            otherObject == nil || isKnownUniquelyReferenced(&otherObject)
        else {
            hasOthers = true
            return
        }
        (otherObject, otherMaker) = (object, maker)
        object = unsafeBitCast(container, to: AnyObject.self)
        maker = ContainerMaker<Container>(keyType: ObjectIdentifier(Key.self))
    }

    /// What makes the container for a type of keys of the object that is kept.
    @inline(__always)
    mutating func maker<Key: CodingKey>(keyedBy _: Key.Type) -> (maker: AnyContainerMaker, object: AnyObject)? {
        if let maker, let object, maker.keyType == ObjectIdentifier(Key.self) { return (maker, object) }
        return otherObject == nil ? nil : otherMaker(keyedBy: ObjectIdentifier(Key.self))
    }

    @inline(never)
    private mutating func otherMaker(
        keyedBy keyType: ObjectIdentifier
    ) -> (maker: AnyContainerMaker, object: AnyObject)? {
        guard let otherMaker, let otherObject, otherMaker.keyType == keyType else { return nil }
        swap(&object, &self.otherObject)
        swap(&maker, &self.otherMaker)
        return (otherMaker, otherObject)
    }
}

/// Takes an object for the container that it belongs to.
final class ContainerMaker<Container>: AnyContainerMaker {
    // Not inlined: here the type of the container is at hand, elsewhere it is put together for each call.
    @inline(never)
    func container(_ object: AnyObject) -> Container { unsafeBitCast(object, to: Container.self) }
}

/// A ``ContainerMaker`` for whatever container.
class AnyContainerMaker {
    let keyType: ObjectIdentifier

    init(keyType: ObjectIdentifier) {
        self.keyType = keyType
    }
}
