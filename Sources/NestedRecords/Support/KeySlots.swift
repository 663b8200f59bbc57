/// A number for each key of a type whose keys are one byte.
final class KeySlots: UncheckedObject<KeySlots.State> {
    /// The number of a key of which nothing is known.
    static let unknown: Int16 = -2

    struct State: ~Copyable {
        fileprivate var numbers = GrowingList<Int16>()

        /// The keys that have a number.
        fileprivate var known = GrowingList<UInt8>()
    }

    init() {
        super.init(State())
        state.numbers.append(Self.unknown, count: 256)
    }

    subscript(byte: UInt8) -> Int16 {
        @inline(__always)
        get {
            state.numbers[Int(byte)]
        }
        set {
            if state.numbers[Int(byte)] == Self.unknown { state.known.append(byte) }
            state.numbers[Int(byte)] = newValue
        }
    }

    /// Forgets the numbers that the closure does not confirm.
    ///
    /// The closure may run code of a user's type, which must not reach these numbers.
    @inline(__always)
    func keep(where isRight: (_ byte: UInt8, _ number: Int16) -> Bool) {
        var position = 0
        while position < state.known.count {
            let byte = state.known[position]
            position += 1
            if isRight(byte, state.numbers[Int(byte)]) { continue }
            state.numbers[Int(byte)] = Self.unknown
            position -= 1
            if let last = state.known.popLast(), position < state.known.count { state.known[position] = last }
        }
    }
}
