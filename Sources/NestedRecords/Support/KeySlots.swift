/// A number for each key of a type whose keys are one byte.
final class KeySlots: UncheckedObject<GrowingList<Int16>> {
    /// The number of a key of which nothing is known.
    static let unknown: Int16 = -2

    init() {
        super.init(GrowingList())
        state.append(Self.unknown, count: 256)
    }

    subscript(byte: UInt8) -> Int16 {
        @inline(__always)
        get {
            state[Int(byte)]
        }
        set { state[Int(byte)] = newValue }
    }
}
