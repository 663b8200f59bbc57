/// An object whose state is used without run-time checks for exclusive access.
///
/// A check costs as much as storing a scalar in a field. Only this state and the value of a ``Lock`` are unchecked.
///
/// Invariants: one thread at a time uses the object. No access that changes a part of the state runs code of a user's
/// type: such code runs before or after, and values that it might release are moved out first.
class UncheckedObject<State: ~Copyable> {
    @exclusivity(unchecked) final var state: State

    init(_ state: consuming State) {
        self.state = state
    }
}

/// An uncounted reference: counting takes longer than most uses of the object.
///
/// Invariant: another owner holds the object while this reference is used. A comment at each use names the owner.
struct Borrowed<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    @inline(__always)
    init(_ object: Object) { reference = Unmanaged.passUnretained(object) }

    var object: Object { reference.takeUnretainedValue() }

    @inline(__always)
    func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef(body)
    }

    /// Runs the closure with the object as a subclass, which the caller knows to be right.
    @inline(__always)
    func with<Subclass: AnyObject, Result>(
        as _: Subclass.Type, _ body: (Subclass) throws -> Result
    ) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: Subclass.self)) }
    }

    @inline(__always)
    func isSame(as other: Self?) -> Bool { reference.toOpaque() == other?.reference.toOpaque() }
}

/// Whether a reference is to an object.
///
/// Like `===`, which casts to `AnyObject`: for a class with noncopyable type arguments, Apple's systems can do that only
/// since macOS 15.
@inline(__always)
func isSame<Object: AnyObject>(_ reference: Object?, _ object: Object) -> Bool {
    guard let reference else { return false }
    return Borrowed(reference).isSame(as: Borrowed(object))
}
