/// The open frames of a call, the innermost one last, followed by closed frames for further values.
///
/// The stack holds each frame through the coder that user code sees. A frame is reused for the next value only if no
/// other object holds its coder or one of its containers; otherwise the stack releases it.
///
/// Invariant: an opened frame is borrowed until it is closed; the stack holds it until then.
struct FrameStack<Coder: FrameCoder>: ~Copyable {
    private var coders = GrowingList<Coder>()
    private(set) var count = 0

    init() {}

    @inline(__always)
    mutating func open(_ make: () -> Coder) -> Borrowed<Coder> {
        if count == coders.count { coders.append(make()) }
        count += 1
        return Borrowed(coders[count - 1])
    }

    @inline(__always)
    mutating func close() -> Bool {
        count -= 1
        return Borrowed(coders[count]).with { $0.isReusable } && isKnownUniquelyReferenced(&coders[count])
    }

    var closed: Coder { coders[count] }

    private static var mostKept: Int { 256 }

    /// Gives all frames a fresh state for another call.
    ///
    /// - Returns: Whether they can serve another call.
    mutating func reset() -> Bool {
        guard count == 0, coders.count <= Self.mostKept else { return false }
        for position in 0..<coders.count { Borrowed(coders[position]).with { $0.reset() } }
        return true
    }

    /// Removes the last coder that is not in use, nil if there is none; from the end, since each frame holds its
    /// parent.
    mutating func removeUnused() -> Coder? { coders.count > count ? coders.popLast() : nil }
}

protocol FrameCoder: AnyObject {
    var isReusable: Bool { get }

    func reset()
}
