@_spi(Engines) import NestedRecords
import Testing

@testable import records

@Suite struct RecordDigestTests {
    private func digest(_ lines: [String]) throws -> RecordDigest {
        var (digest, writer) = (RecordDigest(), RecordWriter())
        for line in lines { digest.add(try ToolFolder.record(line).canonicalBytes(&writer)) }
        return digest
    }

    private static let lines = [
        #"{"id":"A/1","fields":{"a":1,"b":[{"x":{"y":1,"z":2}}]}}"#, #"{"id":"A/2","fields":{"n":{"$double":0}}}"#,
    ]

    @Test func orderAndMetadataDoNotMatter() throws {
        let date = #"{"$date":"2020-01-01T00:00:00Z"}"#
        let others = [
            #"{"id":"A/2","fields":{"n":{"$double":0}},"metadata":{"changeTag":"t","creationDate":\#(date),"#
                + #""modificationDate":\#(date)}}"#,
            #"{"id":"A/1","fields":{"b":[{"x":{"z":2,"y":1}}],"a":1}}"#,
        ]
        #expect(try digest(others) == digest(Self.lines))
        #expect(try digest(others).count == 2)
        #expect(try digest(others).description.count == 32)
    }

    @Test(arguments: [
        #"{"id":"A/3","fields":{"n":{"$double":0}}}"#, #"{"id":"A/2","fields":{"n":{"$double":-0.0}}}"#,
        #"{"id":"A/2","fields":{"n":0}}"#, #"{"id":"A/2","fields":{"n":{"$double":0},"m":null}}"#,
        #"{"id":"A/2","fields":{}}"#, #"{"id":"B/2","fields":{"n":{"$double":0}}}"#,
    ])
    func everyDifferenceMatters(_ line: String) throws {
        #expect(try digest([Self.lines[0], line]) != digest(Self.lines))
        #expect(try digest([Self.lines[0], line]).description != digest(Self.lines).description)
    }

    @Test func recordsDoNotCancelEachOtherOut() throws {
        #expect(try digest([Self.lines[0], Self.lines[0]]) != digest([Self.lines[1], Self.lines[1]]))
        #expect(try digest([]) != digest(Self.lines))
    }
}
