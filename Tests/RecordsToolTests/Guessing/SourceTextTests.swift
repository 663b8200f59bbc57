import Foundation
import Testing

@testable import records

/// Texts in other encodings, and JSON with comments.
@Suite struct SourceTextTests {
    @Test(arguments: [
        String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ])
    func encodingIsFoundByTheFirstBytes(_ encoding: String.Encoding) throws {
        let text = "[\"ä 😀\"]"
        let bytes = Array(try #require(text.data(using: encoding)))
        #expect(try SourceText.utf8(bytes, of: "x") == Array(text.utf8))
        #expect(SourceText.isWide(bytes) == (encoding != .utf8))
    }

    @Test(
        arguments: [[0xFF, 0xFE, 0x00, 0xD8], [0xFF, 0xFE, 0x41], [0x00, 0x00, 0xFE, 0xFF, 0, 0x11, 0, 0]] as [[UInt8]])
    func damagedTextIsNamed(_ bytes: [UInt8]) {
        #expect(throws: InputError.self) { try SourceText.utf8(bytes, of: "x") }
    }

    @Test(arguments: [
        ("{\"a\": 1} // x", "{\"a\": 1}     "), ("/* a\n b */[1]", "    \n     [1]"), ("[1, 2, /**/]", "[1, 2      ]"),
        ("{\"//\": \"\\\"/*\",}", "{\"//\": \"\\\"/*\" }"),
    ])
    func commentsAndLastCommasAreBlank(_ text: String, _ plain: String) {
        #expect(SourceText.withoutComments(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == plain)
    }

    @Test(arguments: ["[1]", "{\"a\": \"// b, }\"}", "[,]", "[1,,2]", "{\"a\":,}", "[1 /* x", "\"", "\"\\", "/"])
    func otherTextStays(_ text: String) { #expect(SourceText.withoutComments(Array(text.utf8)) == nil) }
}
