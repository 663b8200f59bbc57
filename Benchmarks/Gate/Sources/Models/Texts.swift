/// Invented texts and numbers that are the same in every run.
struct Texts {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The generator xorshift64 of Marsaglia.
    private mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func number(below limit: Int) -> Int { Int(next() >> 1) % limit }

    /// A text of 36 characters in the form of a UUID.
    mutating func identifier() -> String {
        let groups = [8, 4, 4, 4, 12].map { length in
            String((0..<length).map { _ in Self.digits[number(below: 16)] })
        }
        return groups.joined(separator: "-")
    }

    private static let digits = Array("0123456789ABCDEF")

    /// Two words of together 9 to 24 letters.
    mutating func words() -> String {
        let words = (0..<2).map { _ in
            String((0..<(4 + number(below: 8))).map { _ in Self.letters[number(below: 26)] })
        }
        return words.joined(separator: " ")
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")
}
