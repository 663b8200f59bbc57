import NestedRecords

/// Reads elements of DER (ITU-T X.690), one after the other.
struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case null = 0x05
        case objectIdentifier = 0x06
        case sequence = 0x30
        case context0 = 0xA0
        case context1 = 0xA1
    }

    private var rest: ArraySlice<UInt8>

    static var malformed: RecordDatabaseError {
        RecordDatabaseError(.invalidOptions, reason: "the private key is damaged, or has an unexpected form")
    }

    /// Reads bytes that are elements without a rest.
    static func all<Value>(of bytes: ArraySlice<UInt8>, _ read: (inout DERReader) throws -> Value) throws -> Value {
        var reader = DERReader(rest: bytes)
        let value = try read(&reader)
        guard reader.rest.isEmpty else { throw malformed }
        return value
    }

    func begins(with tag: Tag) -> Bool { rest.first == tag.rawValue }

    mutating func content(of tag: Tag) throws -> ArraySlice<UInt8> {
        guard rest.popFirst() == tag.rawValue, var count = rest.popFirst().map(Int.init) else { throw Self.malformed }
        if count >= 0x80 {
            let bytes = rest.prefix(count - 0x80)
            // DER has the shortest form alone, and no key is as long as four bytes could say.
            guard bytes.count == count - 0x80, (1...3).contains(bytes.count), bytes.first != 0 else {
                throw Self.malformed
            }
            count = bytes.reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(bytes.count)
            guard count >= 0x80 else { throw Self.malformed }
        }
        let content = rest.prefix(count)
        guard content.count == count else { throw Self.malformed }
        rest = rest.dropFirst(count)
        return content
    }

    /// Reads all elements in an element.
    mutating func elements<Value>(of tag: Tag, _ read: (inout DERReader) throws -> Value) throws -> Value {
        try Self.all(of: content(of: tag), read)
    }
}
