extension Record.ID {
    static let maximumLength = 255

    /// What is wrong with the type of a record, if anything.
    static func validationError(forType type: String) -> String? {
        let bytes = type.utf8
        guard let first = bytes.first else { return "the type is empty" }
        guard bytes.count <= maximumLength else { return "the type is longer than \(maximumLength) bytes" }
        guard first.isASCIILetter else { return "the type does not begin with an ASCII letter" }
        guard bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2E }) else {
            return "the type has a character other than ASCII letters, digits, '_' and '.'"
        }
        return nil
    }

    /// What is wrong with the name of a record, if anything.
    static func validationError(forName name: String) -> String? {
        let count = name.utf8.count
        if count == 0 { return "the name is empty" }
        if count > maximumLength { return "the name is longer than \(maximumLength) bytes" }
        var previous: UInt8 = 0
        for byte in name.utf8 {
            // C0 controls and DEL are one byte; C1 controls are C2 80 … C2 9F.
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) {
                return "the name has a control character"
            }
            previous = byte
        }
        return nil
    }
}

extension BytesInPlace {
    /// Whether these are a valid name of bytes from space to tilde, as most are.
    ///
    /// There is no early end, so that many bytes are compared at once.
    var isPlainName: Bool {
        var found: UInt8 = isEmpty || count > Record.ID.maximumLength ? 1 : 0
        for byte in self { found |= byte &- 0x20 < 0x5F ? 0 : 1 }
        return found == 0
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
    fileprivate var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
