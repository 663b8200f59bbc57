/// The keyed containers that one encoder or decoder handed out.
///
/// The standard library puts every keyed container into an object of its own, which is half of the allocations of an
/// encoder. Two are kept, so that the next value of the same type need not make a new one: lists of two types often
/// follow each other, and a class and its superclass write to one encoder. What is kept serves another value only while
/// its object is not shared.
///
/// `KeyedEncodingContainer` and `KeyedDecodingContainer` are one strong reference to their object. Should that change,
/// their size does too, and containers are no longer kept.
struct ContainerCache {
    /// The type of keys of the container that was used last.
    private var keyType: ObjectIdentifier?

    /// The object of that container: the same bits as the container.
    private var object: AnyObject?
    private var maker: AnyContainerMaker?

    /// The same of the container that was used before.
    private var hasOther = false
    private var otherObject: AnyObject?
    private var otherMaker: AnyContainerMaker?

    /// The objects of further containers, which are not reused.
    private var furtherObjects: [AnyObject] = []

    /// Whether there is a container that may be shared without this being known.
    private var hasUnknown = false

    /// Whether no container is shared.
    var areFree: Bool {
        @inline(__always)
        mutating get {
            !hasUnknown && (keyType == nil || isKnownUniquelyReferenced(&object))
                && (!hasOther || isKnownUniquelyReferenced(&otherObject))
                && (furtherObjects.isEmpty || areFurtherFree())
        }
    }

    @inline(never)
    private mutating func areFurtherFree() -> Bool {
        for position in furtherObjects.indices where !isKnownUniquelyReferenced(&furtherObjects[position]) {
            return false
        }
        furtherObjects = []
        return true
    }

    /// Keeps a container, or notes that it cannot be kept.
    mutating func keep<Container, Key: CodingKey>(_ container: Container, keyedBy _: Key.Type) {
        guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size else {
            hasUnknown = true
            return
        }
        if let otherObject, hasOther { furtherObjects.append(otherObject) }
        (hasOther, otherObject, otherMaker) = (keyType != nil, object, maker)
        keyType = ObjectIdentifier(Key.self)
        object = unsafeBitCast(container, to: AnyObject.self)
        maker = ContainerMaker<Container>(keyType: ObjectIdentifier(Key.self))
    }

    /// Whether there is a container for a type of keys; if so, ``kept`` is what it is made of.
    @inline(__always)
    mutating func has<Key: CodingKey>(keyedBy _: Key.Type) -> Bool {
        keyType == ObjectIdentifier(Key.self) || hasOther && swapWithOther(ObjectIdentifier(Key.self))
    }

    @inline(never)
    private mutating func swapWithOther(_ wanted: ObjectIdentifier) -> Bool {
        guard otherMaker?.keyType == wanted else { return false }
        keyType = wanted
        swap(&object, &otherObject)
        swap(&maker, &otherMaker)
        return true
    }

    /// The container that was used last, as what makes it of its object.
    @inline(__always)
    var kept: (maker: AnyContainerMaker, object: AnyObject)? {
        guard let maker, let object else { return nil }
        return (maker, object)
    }
}

/// Takes an object for the container that it belongs to.
final class ContainerMaker<Container>: AnyContainerMaker {
    // Not inlined: here the type of the container is at hand, elsewhere it is instantiated for each call.
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
