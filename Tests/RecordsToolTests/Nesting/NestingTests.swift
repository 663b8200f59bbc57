import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import records

@Suite struct NestingTests {
    @Test func recordsAreNestedInTheirPlaces() async throws {
        let records = [
            #"{"id":"A/1","fields":{"z":1,"b":{"$ref":"B/1"},"list":[[{"$ref":"B/2"}],{"x":{"$ref":"B/1"}},7]}}"#,
            #"{"id":"B/1","fields":{"id":1,"c":{"$ref":"C/1"}}}"#, #"{"id":"B/2","fields":{}}"#,
            #"{"id":"C/1","fields":{"value":[1,2],"a":"text"}}"#,
        ]
        let c = #"{"value":[1,2],"a":"text"}"#
        let b = #"{"id":1,"c":\#(c)}"#
        #expect(try await nested(records) == #"{"z":1,"b":\#(b),"list":[[{}],{"x":\#(b)},7]}"#)
    }

    @Test func valuesBecomePlainJSON() async throws {
        let record = """
            {"id":"A/1","fields":{"date":{"$date":"2001-02-03T04:05:06.5Z"},"bytes":{"$bytes":"aGk="},\
            "at":{"$location":"1.5;2.0"},"one":{"$double":1},"half":0.5,"null":null,"yes":true,"n":-3,\
            "map":{"$map":{"$ref":{"k":[]}}},"list":[{},[{"$double":2}]],"link":{"$ref":"B/1","link":true}}}
            """
        let text = """
            {"date":"2001-02-03T04:05:06.5Z","bytes":"aGk=","at":"1.5;2.0","one":1.0,"half":0.5,"null":null,"yes":true,\
            "n":-3,"map":{"$ref":{"k":[]}},"list":[{},[2.0]],"link":{"$ref":"B/1"}}
            """
        #expect(try await nested([record, #"{"id":"B/1","fields":{"x":1}}"#]) == text)
    }

    @Test func recordWithAFieldNamedValueIsNested() async throws {
        let records = [
            #"{"id":"A/1","fields":{"b":1,"value":{"$ref":"A/2"},"a":{"x":{"$ref":"A/2"}}}}"#,
            #"{"id":"A/2","fields":{"value":{"k":1}}}"#,
        ]
        #expect(try await nested(records) == #"{"b":1,"value":{"value":{"k":1}},"a":{"x":{"value":{"k":1}}}}"#)
    }

    private static let ring = [
        #"{"id":"A/1","fields":{"n":1,"next":[{"$ref":"A/2"}],"other":{"$ref":"A/3"}}}"#,
        #"{"id":"A/2","fields":{"n":2,"next":{"$ref":"A/3"}}}"#,
        #"{"id":"A/3","fields":{"n":3,"next":{"$ref":"A/1"},"back":{"$ref":"A/2"},"self":{"$ref":"A/3"}}}"#,
    ]

    @Test func cycleEndsWhereItWouldRepeat() async throws {
        let (one, two, three) = (#"{"$ref":"A/1"}"#, #"{"$ref":"A/2"}"#, #"{"$ref":"A/3"}"#)
        let direct = #"{"n":2,"next":{"n":3,"next":\#(one),"back":\#(two),"self":\#(three)}}"#
        // The same records on another way, where others of them repeat.
        let other = #"{"n":3,"next":\#(one),"back":{"n":2,"next":\#(three)},"self":\#(three)}"#
        #expect(try await nested(Self.ring) == #"{"n":1,"next":[\#(direct)],"other":\#(other)}"#)
    }

    @Test(arguments: [
        (0, #"{"n":1,"next":[{"$ref":"A/2"}],"other":{"$ref":"A/3"}}"#),
        (
            1,
            """
            {"n":1,"next":[{"n":2,"next":{"$ref":"A/3"}}],\
            "other":{"n":3,"next":{"$ref":"A/1"},"back":{"$ref":"A/2"},"self":{"$ref":"A/3"}}}
            """
        ),
    ])
    func depthLimitsTheReferencesThatAreFollowed(depth: Int, text: String) async throws {
        #expect(try await nested(Self.ring) { $0.depth = depth } == text)
    }

    @Test(arguments: [2, 3, Int.max])
    func depthBeyondTheGraphChangesNothing(depth: Int) async throws {
        #expect(try await nested(Self.ring) { $0.depth = depth } == nested(Self.ring))
    }

    @Test func recordsBeyondTheDepthAreNotFetched() async throws {
        let records = try (1...50).map { number in
            try Record(
                id: Record.ID("A/\(number)"),
                fields: ["next": .reference(Record.Reference(to: try Record.ID("A/\(number + 1)")))])
        }
        let database = CountingDatabase(records)
        var nesting = Nesting()
        nesting.depth = 3
        _ = try await nesting.document(try Record.ID("A/1"), in: database)
        #expect(database.fetched.map(\.description) == ["A/1", "A/2", "A/3", "A/4"])
    }

    private static let dangling = [
        #"{"id":"A/1","fields":{"a":[{"$ref":"B/1"},{"$ref":"B/2"},{"$ref":"B/3"}],"b":{"$ref":"B/9"}}}"#,
        #"{"id":"B/2","fields":{"x":{"y":{"$ref":"C/1"}}}}"#,
    ]

    @Test(arguments: [nil, 1, 2, 5] as [Int?])
    func danglingReferenceStaysOne(depth: Int?) async throws {
        let text = #"{"a":[{"$ref":"B/1"},{"x":{"y":{"$ref":"C/1"}}},{"$ref":"B/3"}],"b":{"$ref":"B/9"}}"#
        #expect(try await nested(Self.dangling) { $0.depth = depth } == text)
    }

    @Test(arguments: [nil, 1, 2] as [Int?])
    func danglingReferenceIsAnErrorWhenStrict(depth: Int?) async throws {
        await expectError("A/1, field 'a': it refers to B/1, which does not exist", Self.dangling) {
            $0.isStrict = true
            $0.depth = depth
        }
    }

    @Test func danglingReferenceBeyondTheDepthIsNone() async throws {
        let text = try await nested(Self.dangling) {
            $0.isStrict = true
            $0.depth = 0
        }
        #expect(text == #"{"a":[{"$ref":"B/1"},{"$ref":"B/2"},{"$ref":"B/3"}],"b":{"$ref":"B/9"}}"#)
    }

    @Test(arguments: [
        (#"{"$double":"nan"}"#, "JSON has no number for nan"),
        (#"[{"k":{"$double":"-inf"}}]"#, "JSON has no number for -inf"),
        (#"{"$date":1e300}"#, "no ISO 8601 string represents the date 1e+300 s since 2001"),
        (#"{"$serverTimestamp":true}"#, "its time is set by a save"),
    ])
    func valueThatJSONCannotHoldIsAnError(value: String, reason: String) async throws {
        let records = [
            #"{"id":"A/1","fields":{"next":{"$ref":"A/2"}}}"#, #"{"id":"A/2","fields":{"x":1,"odd":\#(value)}}"#,
        ]
        var graph = try records.map(Self.record)
        graph.swapAt(0, 1)
        let error = await #expect(throws: NestingError.self) { try await Self.text(graph, Nesting()) }
        #expect(error?.description == "A/2, field 'odd': \(reason)")
    }

    @Test(arguments: [nil, 0, 3] as [Int?])
    func missingRootIsAnError(depth: Int?) async throws {
        await expectError("there is no record A/1", []) { $0.depth = depth }
    }

    @Test func tooManyRecordsInEachOtherAreAnError() async throws {
        let records = try (1...3_000).map { number in
            try Record(
                id: Record.ID("A/\(number)"),
                fields: ["next": .reference(Record.Reference(to: try Record.ID("A/\(number + 1)")))])
        }
        let error = await #expect(throws: NestingError.self) { try await Self.text(records, Nesting()) }
        let reason = "more than 1,000 records are in each other; choose a --depth"
        #expect(error?.description == "A/1000, field 'next': \(reason)")
        var nesting = Nesting()
        nesting.depth = 999
        #expect(try await Self.text(records, nesting).hasPrefix(#"{"next":{"next":"#))
    }

    @Test func longDocumentIsWrittenInPieces() async throws {
        let fields = Record.Fields((0..<20_000).map { ("field\($0)", Record.Value.string("\($0)")) })
        let document = try await Nesting().document(
            try Record.ID("A/1"), in: CountingDatabase([try Record(id: Record.ID("A/1"), fields: fields)]))
        var sizes: [Int] = []
        try document.write(.pretty) { sizes.append($0.count) }
        #expect(sizes.count > 5)
        #expect(sizes.allSatisfy { $0 < 70_000 })
    }

    private func nested(_ lines: [String], _ change: (inout Nesting) -> Void = { _ in }) async throws -> String {
        var nesting = Nesting()
        change(&nesting)
        return try await Self.text(lines.map(Self.record), nesting)
    }

    private func expectError(_ message: String, _ lines: [String], _ change: (inout Nesting) -> Void) async {
        do {
            let text = try await nested(lines, change)
            Issue.record("no error, but \(text)")
        } catch {
            #expect("\(error)" == message)
        }
    }

    private static func record(_ line: String) throws -> Record {
        var reader = RecordLineReader(Array(line.utf8))
        return try #require(try reader.next())
    }

    private static func text(_ records: [Record], _ nesting: Nesting) async throws -> String {
        let document = try await nesting.document(try Record.ID("A/1"), in: CountingDatabase(records))
        var bytes: [UInt8] = []
        try document.write(.compact) { bytes += $0 }
        #expect(bytes.popLast() == 0x0A)
        return String(decoding: bytes, as: UTF8.self)
    }
}
