import NestedRecords
import Testing

@Suite struct ValidUTF8Tests {
    /// The last ones are the replacement character, a byte order mark, and a zero.
    @Test(arguments: ["", "plain", "ü, 漢, 👩‍🚀", "\u{FFFD}", "\u{FEFF}marked", "a\0b"])
    func validBytesAreTheirString(text: String) {
        #expect(String(validUTF8: Array(text.utf8)).map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    /// A lone byte, a part of a character, a long form, a surrogate, and a number above the last scalar.
    @Test(
        arguments: [
            [0x80], [0x61, 0xE6, 0xBC], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidBytesAreNotAString(bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == nil)
        #expect(String(validUTF8: bytes + [0x61]) == nil)
    }
}
