@_spi(Engines) import NestedRecords
import Testing

@testable import NestedRecordsFile

/// Which record an entry of a file is of.
@Suite struct EntryIDTests {
    private static func isEntry(of stored: Record.ID, foundBy id: Record.ID) throws -> Bool {
        var writer = RecordWriter()
        return try writer.bytes(of: Record(id: stored, fields: ["name": .string("a")])).withBytesInPlace {
            try RecordReader.hasID(id, in: $0)
        }
    }

    @Test(arguments: [
        "1", "a name longer than the strings without an object", "日本/é", String(repeating: "x", count: 255),
    ])
    func entryIsFoundByItsID(_ name: String) throws {
        let id = try Record.ID(type: "School", name: name)
        #expect(try Self.isEntry(of: id, foundBy: id))
    }

    @Test(arguments: [
        // Of the same length.
        ("School/hogwarts", "School/hogwartz"), ("School/hogwarts", "Schoom/hogwarts"),
        // A part of the other one.
        ("School/hogwarts", "School/hogwart"), ("School/hogwart", "School/hogwarts"),
        ("School/hogwarts", "Schoo/hogwarts"), ("Schoo/hogwarts", "School/hogwarts"),
        // The same bytes, divided elsewhere.
        ("AB/C", "A/BC"),
        // One name by canonical equivalence, two by bytes.
        ("School/\u{E9}", "School/e\u{301}"),
    ])
    func entryIsNotFoundByAnotherID(_ stored: String, _ other: String) throws {
        #expect(try !Self.isEntry(of: Record.ID(stored), foundBy: Record.ID(other)))
    }

    @Test func entryThatIsCutOffIsRejected() throws {
        let id = try Record.ID("School/hogwarts")
        var writer = RecordWriter()
        let bytes = try writer.bytes(of: Record(id: id))
        for count in 0..<(3 + "Schoolhogwarts".utf8.count) {
            #expect(throws: RecordFormatError.self) {
                try bytes[..<count].withBytesInPlace { try RecordReader.hasID(id, in: $0) }
            }
        }
    }
}
