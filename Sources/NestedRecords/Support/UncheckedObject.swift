/// An object whose state is used without run-time checks for exclusive access.
///
/// A check costs as much as storing a scalar in a field. This and the value of a ``Lock`` are the only properties of the
/// library without them.
///
/// Invariants: one thread at a time uses the object. No access that changes a part of the state runs code of a user's
/// type: such code runs before or after, and what it might release is moved out first.
class UncheckedObject<State: ~Copyable> {
    @exclusivity(unchecked) final var state: State

    init(_ state: consuming State) {
        self.state = state
    }
}

/// A reference that is not counted: counting takes longer than most of what is done with the object.
///
/// Invariant: something else holds the object for as long as this reference is used. Each use says in its comment what
/// that is.
struct Borrowed<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    @inline(__always)
    init(_ object: Object) { reference = Unmanaged.passUnretained(object) }

    /// The object, counted.
    var object: Object { reference.takeUnretainedValue() }

    /// Runs the closure with the object, which is not counted meanwhile.
    @inline(__always)
    func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef(body)
    }

    /// Runs the closure with the object as a subclass that the caller knows it to be of.
    @inline(__always)
    func with<Subclass: AnyObject, Result>(
        as _: Subclass.Type, _ body: (Subclass) throws -> Result
    ) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: Subclass.self)) }
    }

    /// Whether both are references to one object.
    @inline(__always)
    func isSame(as other: Self?) -> Bool { reference.toOpaque() == other?.reference.toOpaque() }
}
