import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct TypedFormTests {

    @Test func lineLooksAsDocumented() throws {
        let fields: Record.Fields = [
            "name": .string("Ida"), "age": .int(7), "size": .double(1.25), "weight": .double(2),
            "born": .date(Date(timeIntervalSinceReferenceDate: 0)), "home": .location(try Location("1.5;2.0")),
            "photo": .bytes(Data("hi".utf8)),
            "friends": .list([.reference(Record.Reference(to: try Record.ID("P/2")))]),
            "boss": .reference(Record.Reference(to: try Record.ID("P/3"), action: .deleteSelf, isLink: true)),
            "odd": .map(["$ref": .null]), "seen": .serverTimestamp, "limit": .double(.infinity),
        ]
        var writer = RecordLineWriter()
        try writer.write(Record(id: Record.ID("P/1"), fields: fields))
        let line = """
            {"id":"P/1","fields":{"name":"Ida","age":7,"size":1.25,"weight":{"$double":2.0},\
            "born":{"$date":"2001-01-01T00:00:00Z"},"home":{"$location":"1.5;2.0"},"photo":{"$bytes":"aGk="},\
            "friends":[{"$ref":"P/2"}],"boss":{"$ref":"P/3","link":true,"action":"deleteSelf"},\
            "odd":{"$map":{"$ref":null}},"seen":{"$serverTimestamp":true},"limit":{"$double":"inf"}}}

            """
        #expect(String(decoding: writer.bytes, as: UTF8.self) == line)
    }

    @Test(arguments: [1, 100_000])
    func deepValueIsWritten(depth: Int) throws {
        let value = (0..<depth).reduce(Record.Value.null) { value, _ in .list([value]) }
        var writer = JSONWriter()
        writer.write(typed: value)
        let text = String(repeating: "[", count: depth) + "null" + String(repeating: "]", count: depth)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        dismantle(value)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("{\"$map\":{\"$\":", "}}")])
    func nestingUpToTheLimitIsReadAndWrittenOnASmallStack(opening: String, closing: String) async throws {
        let line = Self.line(nesting: BinaryFormat.maximumNesting, opening, closing)
        let written = try await inThreadWithSmallStack {
            var reader = RecordLineReader(Array(line.utf8))
            let record = try #require(try reader.next())
            var writer = RecordLineWriter()
            try writer.write(record)
            _ = try BinaryForm.bytes(of: record)
            return writer.bytes
        }
        #expect(String(decoding: written, as: UTF8.self) == line)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("{\"$map\":{\"$\":", "}}")])
    func nestingBeyondTheLimitIsRefusedOnASmallStack(opening: String, closing: String) async throws {
        let line = Self.line(nesting: BinaryFormat.maximumNesting + 1, opening, closing)
        let error = try await inThreadWithSmallStack {
            var reader = RecordLineReader(Array(line.utf8))
            do {
                _ = try reader.next()
                return nil as RecordFormatError?
            } catch let error as RecordFormatError {
                return error
            }
        }
        #expect(error?.reason?.hasSuffix(", expected fewer") == true)
        #expect(error?.recordID?.description == "A/1")
        #expect(error?.field == "a")
    }

    @Test func deeperRecordIsNotWritten() throws {
        let deep = (0...BinaryFormat.maximumNesting).reduce(Record.Value.null) { value, _ in .list([value]) }
        let (first, bad) = (try Flat.record("A/1", ["a": .null]), try Flat.record("A/2", ["b": .null, "a": deep]))
        var writer = RecordLineWriter()
        try writer.write(first)
        let error = #expect(throws: RecordError.self) { try writer.write(bad) }
        #expect("\(try #require(error))".contains("A/2"))
        try writer.write(first)
        let line = "{\"id\":\"A/1\",\"fields\":{\"a\":null}}\n"
        #expect(String(decoding: writer.bytes, as: UTF8.self) == line + line)
    }

    private static func line(nesting count: Int, _ opening: String, _ closing: String) -> String {
        let (openings, closings) = (String(repeating: opening, count: count), String(repeating: closing, count: count))
        let value = openings + "{\"$double\":1.0}" + closings
        return "{\"id\":\"A/1\",\"fields\":{\"a\":\(value)}}\n"
    }

    /// Frees a deep value level by level: at once, it would take a stack frame for each.
    private func dismantle(_ value: consuming Record.Value) {
        while case .list(let values) = value, let first = values.first { value = first }
    }
}
