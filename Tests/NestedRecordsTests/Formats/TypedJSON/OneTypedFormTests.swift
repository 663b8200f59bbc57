import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

/// Lines and coders accept the same documents, and read the same records of them.
@Suite struct OneTypedFormTests {
    @Test(arguments: Sweep.some(1, of: 0..<20 as Range<UInt64>)) func linesAndCodersReadWhatTheOtherWrites(
        _ block: UInt64
    ) throws {
        for seed in block * 100..<(block + 1) * 100 {
            var random = RandomRecord(seed: seed)
            try Self.expectSame(random.record(), "seed \(seed)")
        }
    }

    @Test func linesAndCodersReadTheSampleRecordsOfTheOther() throws {
        for record in try SampleRecords.all() { try Self.expectSame(record, "\(record.id)") }
    }

    private static func expectSame(_ record: Record, _ label: String) throws {
        var writer = RecordLineWriter()
        try writer.write(record)
        for form in [writer.bytes, Array(try JSONEncoder().encode(record))] {
            let (line, coded) = (try byLine(form), try byCoder(form))
            let isSame = line.isIdentical(to: record) && coded.isIdentical(to: record)
            #expect(isSame, "\(label): \(String(decoding: form, as: UTF8.self))")
        }
        #expect(try byLine(writer.bytes).fields.map(\.name) == record.fields.map(\.name))
    }

    private static let values = [
        // Plain values.
        "null", "true", "false", "0", "-0", "-0.0", "1", "2.0", "1e3", "-0.5", "1e300", "1e19", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "0.1", "1e-7", "\"\"", "\"$ref\"", "[]", "{}", "[[],{\"\":[]}]",
        // Marks that are none.
        "{\"$x\":1}", "{\"$\":1}", "{\"$REF\":\"A/1\"}", "{\"a\":1,\"$REF\":\"A/1\"}", "{\"$\u{301}\":1}",
        "{\"link\":true}", "{\"action\":\"go\"}", "{\"a$\":1}",
        // Dates.
        "{\"$date\":\"2001-01-01T00:00:00Z\"}", "{\"$date\":\"2001-01-01T02:00:00+02:00\"}", "{\"$date\":0.5}",
        "{\"$date\":\"2001-01-01\"}", "{\"$date\":\"\"}", "{\"$date\":5}", "{\"$date\":-0}", "{\"$date\":\"nan\"}",
        "{\"$date\":\"NaN\"}", "{\"$date\":true}", "{\"$date\":null}", "{\"$date\":{}}", "{\"$date\":[]}",
        "{\"$date\":\"2001-01-01T00:00:00Z\",\"x\":1}",
        // Bytes.
        "{\"$bytes\":\"aGk=\"}", "{\"$bytes\":\"\"}", "{\"$bytes\":\"a\"}", "{\"$bytes\":\"aGk=\\n\"}",
        "{\"$bytes\":[1]}", "{\"$bytes\":null}", "{\"$bytes\":\"\",\"link\":true}",
        // Locations.
        "{\"$location\":\"1.5;-2\"}", "{\"$location\":\"91;0\"}", "{\"$location\":\"0x1;0\"}", "{\"$location\":\"1\"}",
        "{\"$location\":[1,2]}", "{\"$location\":null}",
        // Doubles.
        "{\"$double\":2}", "{\"$double\":-0}", "{\"$double\":-0.0}", "{\"$double\":0.5}", "{\"$double\":1e300}",
        "{\"$double\":\"inf\"}", "{\"$double\":\"-inf\"}", "{\"$double\":\"nan\"}", "{\"$double\":\"Infinity\"}",
        "{\"$double\":\"0x7ff8000000000001\"}", "{\"$double\":\"0xFFF8000000000000\"}", "{\"$double\":\"0x1\"}",
        "{\"$double\":\"0x3ff0000000000000\"}", "{\"$double\":\"0x7ff0000000000000\"}", "{\"$date\":-0.0}",
        "{\"$double\":\"2\"}", "{\"$double\":true}", "{\"$double\":null}", "{\"$double\":9007199254740992}",
        "{\"$double\":9007199254740993}", "{\"$double\":1.152921504606847e18}", "{\"$double\":1,\"$location\":\"1;2\"}",
        // References.
        "{\"$ref\":\"A/1\"}", "{\"$ref\":\"A/1\",\"link\":true}", "{\"$ref\":\"A/1\",\"link\":false}",
        "{\"$ref\":\"A/1\",\"link\":null}", "{\"$ref\":\"A/1\",\"link\":1}", "{\"$ref\":\"A/1\",\"link\":\"yes\"}",
        "{\"$ref\":\"A/1\",\"action\":\"deleteSelf\"}", "{\"$ref\":\"A/1\",\"action\":\"none\"}",
        "{\"$ref\":\"A/1\",\"action\":null}", "{\"$ref\":\"A/1\",\"action\":\"go\"}", "{\"$ref\":\"A/1\",\"action\":1}",
        "{\"$ref\":\"A/1\",\"name\":1}", "{\"$ref\":\"A\"}", "{\"$ref\":\"A/\"}", "{\"$ref\":\"é/1\"}", "{\"$ref\":1}",
        "{\"$ref\":null}", "{\"$ref\":\"A/\\u0000\"}", "{\"$ref\":\"A/1\",\"$date\":0}",
        // Maps.
        "{\"$map\":{}}", "{\"$map\":{\"a\":1}}", "{\"$map\":{\"$ref\":1}}", "{\"$map\":{\"$map\":1}}", "{\"$map\":[]}",
        "{\"$map\":null}", "{\"$map\":1}", "{\"$map\":{},\"a\":1}", "{\"$map\":{\"a\":{\"$x\":1}}}",
        // Server timestamps.
        "{\"$serverTimestamp\":true}", "{\"$serverTimestamp\":false}", "{\"$serverTimestamp\":1}",
        "{\"$serverTimestamp\":null}", "{\"$serverTimestamp\":true,\"a\":1}",
        // No JSON.
        "01", "nul", "\"", "{a:1}", "'a'", "[", "}",
    ]

    @Test(arguments: values) func valueIsReadAlikeOrRefusedAlike(_ value: String) {
        Self.expectAgreement(#"{"id":"A/1","fields":{"x":\#(value)}}"#)
        Self.expectAgreement(#"{"id":"A/1","fields":{"x":[{"y":[null,\#(value)]}]}}"#)
    }

    @Test(arguments: values) func valueIsReadByItselfAsInALine(_ value: String) throws {
        let record = try? Self.byLine(Array(#"{"id":"A/1","fields":{"x":\#(value)}}"#.utf8))
        let alone = try? Record.Value(typedJSON: Array(value.utf8))
        #expect((alone == nil) == (record == nil))
        guard let alone, let record else { return }
        #expect(try Record(id: record.id, fields: ["x": alone]).isIdentical(to: record))
    }

    @Test(arguments: [
        "", "null", "1", "[]", "{}", "\"A/1\"", #"{"id":"A/1"}"#, #"{"fields":{}}"#, #"{"id":"A/1","fields":{}}"#,
        #"{"id":1,"fields":{}}"#, #"{"id":null,"fields":{}}"#, #"{"id":"A","fields":{}}"#, #"{"id":"é/1","fields":{}}"#,
        #"{"id":"A/1","fields":[]}"#, #"{"id":"A/1","fields":null}"#, #"{"id":"A/1","fields":{"":1}}"#,
        #"{"id":"A/1","fields":{"$ref":1}}"#, #"{"id":"A/1","fields":{"$map":{}}}"#,
        #"{"id":"A/1","fields":{},"tag":1}"#, #"{"id":"A/1","fields":{},"":null}"#,
        #"{"id":"A/1","fields":{},"metadata":null}"#, #"{"id":"A/1","fields":{},"metadata":{}}"#,
        #"{"id":"A/1","fields":{},"metadata":[]}"#, #"{"id":"A/1","fields":{},"metadata":1}"#,
    ])
    func recordIsReadAlikeOrRefusedAlike(_ text: String) { Self.expectAgreement(text) }

    @Test(arguments: [
        #""changeTag":"t","creationDate":{"$date":0},"modificationDate":{"$date":1}"#,
        #""changeTag":"t","creationDate":"2001-01-01T00:00:00Z","modificationDate":{"$date":"inf"}"#,
        #""changeTag":1,"creationDate":{"$date":0},"modificationDate":{"$date":1}"#,
        #""changeTag":"t","creationDate":0,"modificationDate":{"$date":1}"#,
        #""changeTag":"t","creationDate":{"$date":0}"#,
        #""changeTag":"t","creationDate":{"$date":0},"modificationDate":null"#,
        #""changeTag":"t","creationDate":{"$double":0},"modificationDate":{"$date":1}"#,
        #""changeTag":"t","creationDate":{"$date":0},"modificationDate":{"$date":1},"by":"me""#,
    ])
    func metadataIsReadAlikeOrRefusedAlike(_ members: String) {
        Self.expectAgreement(#"{"id":"A/1","fields":{},"metadata":{\#(members)}}"#)
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func randomObjectIsReadAlikeOrRefusedAlike(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let keys = [
            "$ref", "$date", "$bytes", "$location", "$double", "$map", "$serverTimestamp", "$x", "link", "action", "a",
        ]
        // Coders hide that an integer has too many digits, or an exponent.
        let hidden = ["9223372036854775808", "{\"$double\":1.152921504606847e18}"]
        let contents = Self.values.filter { !hidden.contains($0) } + ["\"A/1\"", "\"deleteSelf\"", "\"1;2\""]
        var accepted = 0
        for _ in 0..<500 {
            let count = Int.random(in: 1...3, using: &random)
            let members = keys.shuffled(using: &random).prefix(count).map { key in
                "\"\(key)\":\(contents.randomElement(using: &random) ?? "")"
            }
            let text = #"{"id":"A/1","fields":{"x":{\#(members.joined(separator: ","))}}}"#
            accepted += Self.expectAgreement(text) ? 1 : 0
        }
        #expect(accepted > 10)
    }

    /// What only a line can be refused for, since coders do not see it.
    @Test(arguments: [
        #"{"id":"A/1","id":"A/1","fields":{}}"#, #"{"id":"A/1","fields":{"a":1,"a":1}}"#,
        #"{"id":"A/1","fields":{"a":{"$double":10000000000000000000}}}"#, #"{"id":"A/1","fields":{"a":1e18}}"#,
    ])
    func whatACoderHidesIsRefusedInALine(_ text: String) {
        #expect(throws: RecordFormatError.self) { try Self.byLine(Array(text.utf8)) }
        #expect(throws: Never.self) { try Self.byCoder(Array(text.utf8)) }
    }

    private static func byLine(_ bytes: [UInt8]) throws -> Record {
        var reader = RecordLineReader(bytes)
        let record = try #require(try reader.next())
        #expect(try reader.next() == nil)
        return record
    }

    private static func byCoder(_ bytes: [UInt8]) throws -> Record {
        try JSONDecoder().decode(Record.self, from: Data(bytes))
    }

    /// Reads a document both ways.
    ///
    /// - Returns: Whether both accept it.
    @discardableResult
    private static func expectAgreement(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        let bytes = Array(text.utf8)
        var reader = RecordLineReader(bytes)
        let line = Result { try reader.next() }
        let coded = Result { try byCoder(bytes) }
        switch (line, coded) {
        case (.success(let line?), .success(let coded)):
            let isSame = line.isIdentical(to: coded)
            #expect(isSame, "\(text)", sourceLocation: sourceLocation)
            return true
        case (.failure(let error), .failure(let other)):
            #expect(error is RecordFormatError && other is DecodingError, "\(text)", sourceLocation: sourceLocation)
        case (.success(nil), .failure): break
        default: Issue.record("\(text): \(line) and \(coded)", sourceLocation: sourceLocation)
        }
        return false
    }
}
