/// A key of the keyboard, as a terminal reports it.
enum Key: Hashable, Sendable {
    /// A printable character.
    case character(Unicode.Scalar)
    case enter, escape, tab, backspace, delete
    case up, down, left, right, pageUp, pageDown, home, end

    /// A letter with the control key, in small letters.
    case control(Unicode.Scalar)

    /// A key without a meaning here.
    case unknown
}

extension Key {
    /// Takes the first key off the bytes of a terminal.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that were read and not used yet.
    ///   - isAll: Whether no further byte follows soon: an escape sequence that has only begun is the escape key then.
    /// - Returns: The key; nil if it is not complete.
    static func take(from bytes: inout [UInt8], isAll: Bool) -> Key? {
        guard let first = bytes.first else { return nil }
        let (key, count) =
            switch first {
            case 0x1B: sequence(bytes)
            case 0x0A, 0x0D: (Key.enter, 1)
            case 0x09: (Key.tab, 1)
            case 0x08, 0x7F: (Key.backspace, 1)
            case 0x01...0x1A: (Key.control(Unicode.Scalar(first + 0x60)), 1)
            case 0..<0x20: (Key.unknown, 1)
            default: character(bytes)
            }
        if let key {
            bytes.removeFirst(count)
            return key
        }
        guard isAll else { return nil }
        bytes.removeFirst(first == 0x1B ? bytes.count : 1)
        return first == 0x1B ? .escape : .unknown
    }

    /// The character that bytes in UTF-8 begin with.
    private static func character(_ bytes: [UInt8]) -> (Key?, Int) {
        var decoder = UTF8()
        var source = bytes.makeIterator()
        let length = bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4
        guard bytes.count >= length else { return (nil, 0) }
        guard case .scalarValue(let scalar) = decoder.decode(&source) else { return (.unknown, 1) }
        return (.character(scalar), length)
    }

    /// The key of an escape sequence: `ESC [ 5 ~`, `ESC O A`.
    private static func sequence(_ bytes: [UInt8]) -> (Key?, Int) {
        guard bytes.count > 1 else { return (nil, 0) }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return (.unknown, 2) }
        guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return (nil, 0) }
        let number = String(decoding: bytes[2..<end].prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        let key = bytes[end] == UInt8(ascii: "~") ? numbered[number] : lettered[Unicode.Scalar(bytes[end])]
        return (key ?? .unknown, end + 1)
    }

    private static let lettered: [Unicode.Scalar: Key] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end,
    ]

    private static let numbered: [String: Key] = [
        "1": .home, "3": .delete, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
    ]
}
