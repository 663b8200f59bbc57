import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@Suite struct RecordLineReaderTests {
    @Test(arguments: [1, 2, 3, 7, 64, 1 << 18])
    func everyLineIsARecord(blockSize: Int) throws {
        let text = "\u{FEFF}\(line("A/1"))\r\n\n \t\r\n\(line("A/2"))\n\(line("A/3"))"
        #expect(try names(in: Data(text.utf8), blockSize: blockSize) == ["1: A/1", "4: A/2", "5: A/3"])
    }

    @Test(arguments: ["", "\n", "\u{FEFF}", "\r\n \r\n"])
    func fileWithoutRecordsHasNone(text: String) throws {
        #expect(try names(in: Data(text.utf8)) == [])
    }

    @Test func lineMayBeLongerThanABlock() throws {
        let text = String(repeating: "ä", count: 1 << 16)
        let long = "{\"id\":\"A/1\",\"fields\":{\"text\":\"\(text)\"}}\n"
        #expect(try names(in: Data((long + line("A/2") + "\n" + long).utf8), blockSize: 4_096).count == 3)
    }

    @Test func manyRecordsComeBack() throws {
        var writer = RecordLineWriter()
        let records = try (0..<Sweep.count(200, whole: 2_000)).map(SampleRecords.random)
        for record in records { try writer.write(record) }
        var read: [Record] = []
        try forEachRecord(in: Data(writer.bytes), blockSize: 1_000) { read.append($0) }
        #expect(read == records)
    }

    @Test(arguments: [
        ("{\"id\":\"A/1\"", "line 1, column 12: found the end, expected ',' or '}' in the object, in record A/1"),
        ("\n\n  [1]", "line 3, column 3: found a list, expected an object with the keys 'id' and 'fields'"),
        (
            "\u{FEFF}{\"id\":1,\"fields\":{}}",
            "line 1, column 7: found an integer, expected the ID of a record, such as \"Person/1\""
        ),
        (
            "{\"id\":\"A/1\"}",
            "line 1, column 1: found an object without the key 'fields', expected one with it, in record A/1"
        ),
        ("{\"fields\":{}}", "line 1, column 1: found an object without the key 'id', expected one with it"),
        (
            "{\"id\":\"A\",\"fields\":{}}",
            "line 1, column 7: 'A/' is not the ID of a record: the form of an ID is its type, a slash and its name"
        ),
        (
            "{\"id\":\"A/1\",\"fields\":{\"\":1}}",
            "line 1, column 22: there is no field for the key '': a field's name must not be empty, in record A/1"
        ),
        (
            "{\"id\":\"A/1\",\"fields\":{},\"tag\":1}",
            "line 1, column 31: found the key 'tag', expected no other than 'id', 'fields', 'metadata', in record A/1"
        ),
        (
            "{\"id\":\"A/1\",\"fields\":{},\"metadata\":{\"changeTag\":\"\"}}",
            "line 1, column 36: found an object without the key 'creationDate', expected one with it, in record A/1"
        ),
        (
            "\r\n{\"id\":\"A/1\",\"fields\":{\"é\":\u{0}1}}\r\n",
            "line 2, column 27: found the character U+0000, expected a value, in record A/1, field \"é\""
        ),
        ("{} x", "line 1, column 4: found 'x', expected the end of the document"),
        ("\n\u{FEFF}{}", "line 2, column 1: found the character U+FEFF, expected a value"),
    ])
    func faultIsPlaced(text: String, message: String) {
        expect(Data(text.utf8), message)
    }

    @Test(arguments: [
        ("{\"$x\":1}", "column 27: found the mark '$x', which no value has, expected {\"$map\": {…}} around such keys"),
        ("{\"$ref\":\"A/1\",\"b\":1}", "column 45: found the key 'b', expected no other than '$ref', 'link', 'action'"),
        ("{\"$ref\":\"A/1\",\"link\":1}", "column 48: found an integer, expected true or false"),
        (
            "{\"$ref\":\"A/1\",\"action\":\"go\"}",
            "column 50: found the action 'go', expected \"none\" or \"deleteSelf\""
        ),
        ("{\"$date\":\"today\"}", "column 36: found 'today', expected a date with time and zone"),
        ("{\"$date\":true}", "column 36: found a Boolean, expected a number, or nan, inf or -inf in quotes"),
        ("{\"$bytes\":\"?\"}", "column 37: found a string that is not in base 64, expected one that is"),
        (
            "{\"$location\":\"91;0\"}",
            "column 40: '91.0;0.0' is not a location: the latitude is not between −90 and 90 degrees"
        ),
        ("{\"$double\":\"1\"}", "column 38: found '1', expected nan, inf or -inf"),
        ("{\"$map\":[]}", "column 35: found a list, expected the object that is marked as a map"),
        ("{\"$serverTimestamp\":false}", "column 47: found a Boolean, expected true"),
        (
            "1e18",
            "column 27: found a fraction or an exponent in a large integer, expected {\"$double\": 1e+18} for a number"
        ),
        (
            "9007199254740993.0",
            "column 27: found a fraction or an exponent in a large integer, expected {\"$double\": 9007199254740992.0} "
                + "for a number"
        ),
        (
            "-9007199254740992.0",
            "column 27: found a fraction or an exponent in a large integer, expected {\"$double\": -9007199254740992.0} "
                + "for a number"
        ),
        ("{\"$double\":\"0x3ff0000000000000\"}", "column 38: found '0x3ff0000000000000', expected nan, inf or -inf"),
        (
            "[1e300]",
            "column 28: found an integer that 64 bits do not hold, expected {\"$double\": 1e+300} for a number"
        ),
    ])
    func wrongValueIsPlaced(value: String, message: String) {
        let text = "{\"id\":\"A/1\",\"fields\":{\"x\":\(value)}}"
        expect(Data(text.utf8), "line 1, \(message), in record A/1, field \"x\"")
    }

    @Test(
        arguments: [
            ("9007199254740991.0", .int(9_007_199_254_740_991)), ("9007199254740993", .int(9_007_199_254_740_993)),
            ("-0", .double(-0.0)), ("-0.0", .double(-0.0)), ("0.0", .int(0)), ("-1.0", .int(-1)),
        ] as [(String, Record.Value)])
    func plainNumberIsReadAsItIsWritten(text: String, value: Record.Value) throws {
        var reader = RecordLineReader(Array("{\"id\":\"A/1\",\"fields\":{\"x\":\(text)}}".utf8))
        let read = try #require(try reader.next()?.fields["x"])
        let isSame = read.hasSameBits(as: value)
        #expect(isSame, "\(read)")
    }

    @Test func bytesThatAreNotUTF8ArePlaced() {
        let start = Data((line("A/1") + "\n{\"id\":\"A/é").utf8)
        expect(
            start + [0xFF] + Data("\",\"fields\":{}}".utf8),
            "line 2, column 11: found bytes that are not UTF-8, expected text in UTF-8")
    }

    @Test func errorOfReadingIsThrown() {
        struct NoMore: Error {}
        var lines = [Array((line("A/1") + "\n{\"id\":").utf8)]
        var reader = RecordLineReader { buffer in
            guard let bytes = lines.popLast() else { throw NoMore() }
            buffer.copyBytes(from: bytes)
            return bytes.count
        }
        do {
            #expect(try reader.next()?.id.description == "A/1")
            _ = try reader.next()
            Issue.record("more was read than there is")
        } catch {
            #expect(error is NoMore)
        }
    }

    @Test(arguments: [-1, 9])
    func numberOfBytesThatCannotBeIsAnError(count: Int) {
        var reader = RecordLineReader(blockSize: 8) { _ in count }
        do {
            _ = try reader.next()
            Issue.record("it was accepted")
        } catch {
            #expect(
                "\(error)"
                    == "the bytes end before the record does: the closure that reads returned \(count) for 8 bytes "
                    + "at byte 0")
        }
    }

    @Test func errorNamesTheRecordAndTheFieldAndReadingGoesOn() throws {
        let bad = [
            #"{"fields":{"a":1,"b":{"c":[{"$date":""}]}},"id":"A/1"}"#, #"{"id":"A/2","fields":{"a":1,"b":[{"c":"#,
            #"{"id":"A/3","fields":{},"x":1}"#, #"{"#, #"{"id":"A/4","metadata":{"b":00}}"#,
        ]
        let text = bad.joined(separator: "\n") + "\n" + line("A/9")
        var reader = RecordLineReader(Array(text.utf8))
        var errors: [RecordFormatError] = []
        var found: [Record] = []
        while true {
            do {
                guard let record = try reader.next() else { break }
                found.append(record)
            } catch let error as RecordFormatError {
                errors.append(error)
            }
        }
        #expect(found.map(\.id.description) == ["A/9"])
        let codes: [RecordFormatError.Code] = [
            .invalidRecord, .malformedJSON, .invalidRecord, .incompleteLine, .malformedJSON,
        ]
        #expect(errors.map(\.code) == codes)
        #expect(errors.map { $0.recordID?.description } == ["A/1", "A/2", "A/3", nil, "A/4"])
        #expect(errors.map(\.field) == ["b", "b", nil, nil, nil])
        #expect(errors.map(\.line) == [1, 2, 3, 4, 5])
        let starts = bad.indices.map { bad[..<$0].reduce(0) { $0 + $1.utf8.count + 1 } }
        #expect(errors.map(\.column) == zip(errors, starts).map { error, start in error.offset - start + 1 })
        #expect(errors.last?.description.hasSuffix("expected no further digits, in record A/4") == true)
        switch try #require(errors.first) as any Error {
        case RecordFormatError.Code.invalidRecord: break
        default: Issue.record("the code does not match")
        }
    }

    private func line(_ id: String) -> String { "{\"id\":\"\(id)\",\"fields\":{\"a\":[1,{\"b\":null}]}}" }

    private func names(in data: Data, blockSize: Int = 1 << 16) throws -> [String] {
        var names: [String] = []
        try forEachRecord(in: data, blockSize: blockSize) { record, line in names.append("\(line): \(record.id)") }
        return names
    }

    private func forEachRecord(in data: Data, blockSize: Int, _ body: (Record) -> Void) throws {
        try forEachRecord(in: data, blockSize: blockSize) { record, _ in body(record) }
    }

    private func forEachRecord(in data: Data, blockSize: Int, _ body: (Record, Int) -> Void) throws {
        var position = data.startIndex
        var reader = RecordLineReader(blockSize: blockSize) { buffer in
            let block = data[position...].prefix(min(buffer.count, blockSize))
            position += block.count
            buffer.copyBytes(from: block)
            return block.count
        }
        while let record = try reader.next() { body(record, reader.line) }
    }

    private func expect(_ data: Data, _ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: RecordFormatError.self, sourceLocation: sourceLocation) { try names(in: data) }
        #expect(error?.description == message, sourceLocation: sourceLocation)
    }
}
