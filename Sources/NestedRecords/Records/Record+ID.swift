extension Record {
    /// The identity of a record: its type, and a name that is unique within that type.
    ///
    /// The string form is `type/name`, for example `School/hogwarts`. Types and names are compared byte by byte,
    /// as databases compare them: `é` written as one scalar and as two are two names.
    public struct ID: Sendable {
        /// The record's type: an ASCII letter followed by ASCII letters, digits, `_` and `.`; at most 255 bytes.
        public let type: String

        /// The record's name: 1 to 255 bytes of UTF-8 without control characters.
        public let name: String

        /// Makes an ID.
        ///
        /// - Parameters:
        ///   - type: The record's type.
        ///   - name: The record's name.
        /// - Throws: `RecordError.Code.invalidID` if the type or the name is not
        ///   valid.
        public init(type: String, name: String) throws {
            if let reason = Self.validationError(forType: type) ?? Self.validationError(forName: name) {
                throw RecordError.invalidID(type: type, name: name, reason: reason, context: nil)
            }
            self.init(checkedType: type, name: name)
        }

        /// Makes an ID from its string form.
        ///
        /// - Parameter text: `type/name`; the first slash ends the type, the name may contain more.
        /// - Throws: `RecordError.Code.invalidID` if there is no slash or a part is not valid.
        public init(_ text: String) throws {
            guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
                let reason = "the form of an ID is its type, a slash and its name"
                throw RecordError.invalidID(type: text, name: "", reason: reason, context: nil)
            }
            try self.init(type: String(text[..<slash]), name: String(text[text.utf8.index(after: slash)...]))
        }

        init(checkedType type: String, name: String) {
            self.type = type
            self.name = name
        }
    }
}

extension Record.ID: Hashable {
    /// Returns whether two IDs have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        // Types are ASCII: equal strings have equal bytes.
        left.type == right.type && left.name.hasSameBytes(as: right.name)
    }

    /// Feeds the bytes of the type and the name to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(RecordIndex.hash(of: self))
    }
}

extension Record.ID: Comparable {
    /// Orders IDs by the bytes of the type, then of the name.
    public static func < (left: Self, right: Self) -> Bool {
        left.type == right.type
            ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
            : left.type.utf8.lexicographicallyPrecedes(right.type.utf8)
    }
}

extension Record.ID: CustomStringConvertible {
    /// The string form, `type/name`.
    public var description: String { "\(type)/\(name)" }
}

extension Record.ID {
    static let maximumLength = 255

    /// The reason why a record type is not valid; nil if it is.
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

    /// The reason why a record name is not valid; nil if it is.
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
    /// Whether these are the bytes of a valid name, all from space to tilde, like most names.
    ///
    /// The loop has no early exit, so that many bytes are compared at once.
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
