/// The elements of an array where they are stored, without being held or copied.
///
/// Retaining an array takes longer than reading an element, and copying an element retains its parts. Invariant: the
/// array is held by something else and does not change for as long as this is used, so its storage does not move.
/// Positions are checked.
struct ElementsInPlace<Element> {
    private let start: UnsafePointer<Element>?
    let count: Int

    /// No elements.
    init() {
        start = nil
        count = 0
    }

    @inline(__always)
    init(_ array: borrowing [Element]) {
        start = array.withUnsafeBufferPointer { $0.baseAddress }
        count = array.count
    }

    @inline(__always)
    init(_ array: borrowing ContiguousArray<Element>) {
        start = array.withUnsafeBufferPointer { $0.baseAddress }
        count = array.count
    }

    /// Whether both are the elements of one storage, which copies of an array share.
    func isSame(as other: Self) -> Bool { start == other.start }

    /// The element at a position, which must be below ``count``.
    @inline(__always)
    subscript(position: Int) -> ElementInPlace<Element> {
        guard position >= 0, position < count, let start else { preconditionFailure("position out of range") }
        return ElementInPlace(address: start + position)
    }
}

/// A value where it is stored, without being copied; valid as long as its storage is.
struct ElementInPlace<Element> {
    let address: UnsafePointer<Element>

    fileprivate init(address: UnsafePointer<Element>) {
        self.address = address
    }

    @inline(__always)
    var value: Element { address.pointee }

    /// Runs the closure with a value that is stored for as long.
    @inline(__always)
    static func with<Result>(_ value: Element, _ body: (Self) throws -> Result) rethrows -> Result {
        try withUnsafePointer(to: value) { try body(Self(address: $0)) }
    }
}
