import Foundation
import NestedRecords
import Testing

@Suite struct RecordIDTests {
    @Test(arguments: ["A", "z9", "School", "a.b_c", "Module.Type", "X." + String(repeating: "y", count: 253)])
    func typeTakes(_ type: String) throws {
        #expect(try Record.ID(type: type, name: "n").type == type)
    }

    @Test(arguments: [
        ("", "the type is empty"),
        ("9a", "the type does not begin with an ASCII letter"),
        ("_a", "the type does not begin with an ASCII letter"),
        (".a", "the type does not begin with an ASCII letter"),
        ("[a", "the type does not begin with an ASCII letter"),
        ("@", "the type does not begin with an ASCII letter"),
        ("é", "the type does not begin with an ASCII letter"),
        ("aé", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        ("a\u{301}", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        ("a b", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        ("a-b", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        ("a/b", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        ("a\0", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        ("Box<Int>", "the type has a character other than ASCII letters, digits, '_' and '.'"),
        (String(repeating: "a", count: 256), "the type is longer than 255 bytes"),
    ])
    func typeRefuses(_ type: String, because reason: String) throws {
        try expectInvalid(type: type, name: "n", because: reason) { try Record.ID(type: type, name: "n") }
    }

    @Test(arguments: [
        "a", " ", "/", "a/b", "é", "e\u{301}", "漢字", "👩‍👩‍👧‍👦", "\u{A0}", "\u{C0}", "\u{2028}", "\u{10FFFF}", "\u{FEFF}",
        String(repeating: "a", count: 255), String(repeating: "漢", count: 85),
    ])
    func nameTakes(_ name: String) throws {
        #expect(try Record.ID(type: "T", name: name).name.utf8.elementsEqual(name.utf8))
    }

    @Test(arguments: [
        ("", "the name is empty"),
        ("\0", "the name has a control character"),
        ("a\nb", "the name has a control character"),
        ("\t", "the name has a control character"),
        ("a\r\n", "the name has a control character"),
        ("\u{1F}", "the name has a control character"),
        ("\u{7F}", "the name has a control character"),
        ("a\u{80}", "the name has a control character"),
        ("\u{85}", "the name has a control character"),
        ("\u{9F}", "the name has a control character"),
        (String(repeating: "a", count: 256), "the name is longer than 255 bytes"),
        (String(repeating: "漢", count: 85) + "a", "the name is longer than 255 bytes"),
    ])
    func nameRefuses(_ name: String, because reason: String) throws {
        try expectInvalid(type: "T", name: name, because: reason) { try Record.ID(type: "T", name: name) }
    }

    @Test(arguments: [
        ("School/hogwarts", "School", "hogwarts"), ("A/b/c", "A", "b/c"), ("A//", "A", "/"), ("A/ ", "A", " "),
        // The slash and what follows are one character in Swift.
        ("A/\u{301}", "A", "\u{301}"),
    ])
    func textFormIsReadBack(_ text: String, type: String, name: String) throws {
        let id = try Record.ID(text)
        #expect(id.type == type)
        #expect(id.name.utf8.elementsEqual(name.utf8))
        #expect(id.description.utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [
        ("", "", "", "the form of an ID is its type, a slash and its name"),
        ("School", "School", "", "the form of an ID is its type, a slash and its name"),
        ("A∕b", "A∕b", "", "the form of an ID is its type, a slash and its name"),
        ("School/", "School", "", "the name is empty"),
        ("/a", "", "a", "the type is empty"),
        ("/", "", "", "the type is empty"),
        (" A/b", " A", "b", "the type does not begin with an ASCII letter"),
    ])
    func stringThatIsNotAnIDIsRefused(_ text: String, type: String, name: String, because reason: String) throws {
        try expectInvalid(type: type, name: name, because: reason) { try Record.ID(text) }
    }

    @Test func codableFormIsTheText() throws {
        let ids = try [Record.ID("A/b/c"), Record.ID("A/e\u{301}"), Record.ID("A/\"\\")]
        let data = try JSONEncoder().encode(ids)
        #expect(try JSONDecoder().decode([String].self, from: data) == ids.map(\.description))
        #expect(try JSONDecoder().decode([Record.ID].self, from: data) == ids)
    }

    private func expectInvalid(
        type: String, name: String, because reason: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ make: () throws -> Record.ID
    ) throws {
        let error = try #require(throws: RecordError.self, sourceLocation: sourceLocation) { try make() }
        #expect(error.code == .invalidID && error.context.description.isEmpty, sourceLocation: sourceLocation)
        let details = [error.recordType, error.recordName, error.reason]
        #expect(details == [type, name, reason], sourceLocation: sourceLocation)
        // What would break the line is escaped.
        let text = "\(type)/\(name)".debugDescription.dropFirst().dropLast()
        #expect(error.description == "'\(text)' is not the ID of a record: \(reason)", sourceLocation: sourceLocation)
    }
}
