/// The open frames of a call, the innermost one last, and behind them some that wait for further values.
///
/// The stack holds each frame through the coder that user code sees. A frame serves the next value only if nobody holds
/// its coder or one of its containers; otherwise it is left to whoever does.
///
/// Invariant: an opened frame is borrowed until it is closed, and the stack holds it for as long.
struct FrameStack<Coder: FrameCoder>: ~Copyable {
    private var coders = GrowingList<Coder>()

    /// The number of open frames.
    private(set) var count = 0

    init() {}

    /// Opens a frame: one that has served a value before, or a new one.
    @inline(__always)
    mutating func open(_ make: () -> Coder) -> Borrowed<Coder> {
        if count == coders.count { coders.append(make()) }
        count += 1
        return Borrowed(coders[count - 1])
    }

    /// Closes the innermost frame, and returns whether it may serve another value.
    @inline(__always)
    mutating func close() -> Bool {
        count -= 1
        return Borrowed(coders[count]).with { $0.isReusable } && isKnownUniquelyReferenced(&coders[count])
    }

    /// The coder of the frame that was closed last.
    var closed: Coder { coders[count] }

    /// More frames than this are not kept for another call.
    private static var mostKept: Int { 256 }

    /// Gives all frames a fresh state for another call.
    ///
    /// - Returns: Whether they can serve one.
    mutating func reset() -> Bool {
        guard count == 0, coders.count <= Self.mostKept else { return false }
        for position in 0..<coders.count { Borrowed(coders[position]).with { $0.reset() } }
        return true
    }

    /// Takes out the last coder that is not in use, nil if there is none; from the end, since each frame holds its parent.
    mutating func removeUnused() -> Coder? { coders.count > count ? coders.popLast() : nil }
}

/// What user code sees of a frame, as far as the stack needs it.
protocol FrameCoder: AnyObject {
    /// Whether nothing of the value before is left that keeps the frame from serving another one.
    var isReusable: Bool { get }

    /// Gives the frame a fresh state.
    func reset()
}
