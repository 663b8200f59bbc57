import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

/// Reading the record that was asked for from bytes that may be those of another one.
@Suite struct RequestedRecordTests {
    private func read(_ id: Record.ID, from record: Record, by reader: inout RecordReader) throws -> Record? {
        try BinaryForm.bytes(of: record).withBytesInPlace { try reader.record(id, from: $0) }
    }

    /// The address of a text that has memory of its own.
    private func address(_ text: String) -> UnsafeRawPointer? {
        text.utf8.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } ?? nil
    }

    @Test(arguments: ["a", "seven c", "eight ch", "a name that has memory of its own", "\u{E9}\u{E9}\u{E9}\u{E9}"])
    func requestedRecordIsReadAndOthersAreNot(_ name: String) throws {
        var reader = RecordReader()
        for type in ["A", "Seven_C", "ATypeThatHasMemoryOfItsOwn"] {
            let id = try Record.ID(type: type, name: name)
            let record = try Record(id: id, fields: ["id": .string(name), "list": [.string(name), 1]])
            #expect(try read(id, from: record, by: &reader) == record)
            for other in [(type, name + "b"), (type + "b", name), (type, "b" + name.dropFirst()), ("B", name)] {
                #expect(try read(Record.ID(type: other.0, name: other.1), from: record, by: &reader) == nil)
            }
        }
    }

    @Test func nameWithOtherBytesIsAnother() throws {
        var reader = RecordReader()
        let record = try Record(id: Record.ID(type: "A", name: "e\u{301}e\u{301}e\u{301}"))
        #expect(try read(Record.ID(type: "A", name: "\u{E9}\u{E9}\u{E9}"), from: record, by: &reader) == nil)
    }

    @Test func recordSharesTheTextsOfTheID() throws {
        var reader = RecordReader()
        let name = "a name that has memory of its own"
        let record = try Record(id: Record.ID(type: "A", name: name), fields: ["id": .string(name), "n": 1])
        let id = try Record.ID(type: "A", name: String(Array(name)))
        let found = try #require(try read(id, from: record, by: &reader))
        guard case .string(let text)? = found["id"] else {
            Issue.record("no string")
            return
        }
        #expect(address(found.id.name) == address(id.name))
        #expect(address(text) == address(id.name))
    }

    @Test func damageNamesTheRequestedRecord() throws {
        var reader = RecordReader()
        let id = try Record.ID("A/b")
        let bytes = BinaryForm.form(value: [200])
        let error = #expect(throws: RecordFormatError.self) {
            try bytes.withBytesInPlace { try reader.record(id, from: $0) }
        }
        #expect(error?.recordID == id)
        #expect(error?.field == "f")
    }

    /// More types in turn than are remembered, of records and of references.
    @Test func typesThatTakeTurnsStayWhatTheyAre() throws {
        var reader = RecordReader()
        for round in 0..<60 {
            let types = (0..<7).map { "Type\(($0 * round) % 9)" }
            let record = try Record(
                id: Record.ID(type: types[0], name: "1"),
                fields: ["targets": .list(types.map { .reference(.init(to: try Record.ID(type: $0, name: "2"))) })])
            #expect(try BinaryForm.record(BinaryForm.bytes(of: record), by: &reader) == record)
        }
    }
}
