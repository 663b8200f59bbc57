import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct DiffCommandTests {
    private static let old = [
        #"{"id":"Person/ada","fields":{"n":1,"same":[1],"gone":true}}"#, #"{"id":"Book/1","fields":{}}"#,
        #"{"id":"Person/bo","fields":{"n":{"$double":0},"name":"é"}}"#, #"{"id":"Person/cy","fields":{"a":1,"b":2}}"#,
    ]
    private static let new = [
        #"{"id":"Person/cy","fields":{"b":2,"a":1}}"#, #"{"id":"Book/2","fields":{}}"#,
        #"{"id":"Person/bo","fields":{"n":{"$double":-0.0},"name":"e\#u{301}"}}"#,
        #"{"id":"Person/ada","fields":{"new field":"\n","n":2,"same":[1]}}"#, #"{"id":"Ape/1","fields":{"x":1}}"#,
    ]
    private static let differences = """
        ~ Person/ada
            + "new field": "\\n"
            ~ n: 1 => 2
            - gone: true
        - Book/1
        ~ Person/bo
            ~ n: 0.0 => -0.0
            ~ name: "é" => "e\u{301}"
        + Book/2
        + Ape/1

        """

    @Test func recordFileIsComparedWithTheDocumentOfItsRecords() throws {
        let folder = try ToolFolder()
        let text = #"{"id": "earth", "cities": [{"id": 1, "size": 1}, {"id": 2, "size": 2}]}"#
        try folder.write(text, to: "world.json")
        try folder.write(text.replacing("\"size\": 2", with: "\"size\": 3"), to: "small.json")
        _ = try folder.run("records flatten world.json --into w.records")
        #expect(try folder.output("records diff w.records world.json") == "")
        #expect(
            try folder.run("records diff w.records small.json")
                == ToolRun(status: 1, output: "~ City/2\n    ~ size: 2 => 3\n", errors: ""))
        #expect(
            try folder.run("records diff small.json w.records")
                == ToolRun(status: 1, output: "~ City/2\n    ~ size: 3 => 2\n", errors: ""))
    }

    private func files() async throws -> ToolFolder {
        let folder = try ToolFolder()
        try await folder.save(Self.old, to: "old.records")
        try await folder.save(Self.new, to: "new.records")
        try folder.write(Self.old, to: "old.jsonl")
        try folder.write(Self.new, to: "new.jsonl")
        return folder
    }

    @Test(arguments: [
        "old.records new.records", "old.jsonl new.jsonl", "old.records new.jsonl", "- new.records < old.jsonl",
        "old.records - < new.jsonl",
    ])
    func differencesArePrintedWithTheirFields(_ inputs: String) async throws {
        let run = try await files().run("records diff --exactly \(inputs)")
        #expect(run.status == 1)
        // As bytes: Swift takes two spellings of a text for equal.
        #expect(Array(run.output.utf8) == Array(Self.differences.utf8))
        #expect(run.errors == "")
    }

    @Test func namesOfRecordsBecomeReferencesInBothInputs() throws {
        let folder = try ToolFolder()
        let lines = [
            #"{"id":"Book/1","fields":{"by":7,"title":"Stars"}}"#, #"{"id":"Author/7","fields":{"name":"Ada Fern"}}"#,
        ]
        try folder.write(lines, to: "a.jsonl")
        _ = try folder.output("records query a.jsonl --refer by=Author --typed > b.jsonl")
        #expect(try folder.run("records diff a.jsonl b.jsonl").output == "~ Book/1\n    ~ by: 7 => ⇢ Author/7\n")
        #expect(try folder.output("records diff a.jsonl b.jsonl --refer by=Author") == "")
        let run = try folder.run("records diff a.jsonl b.jsonl --refer title=Author")
        #expect(
            run.status == 2 && run.errors.contains("no value of 'title' is the name of a record of the type 'Author'"))
    }

    @Test func numbersOfEqualValueAreEqual() throws {
        let folder = try ToolFolder()
        try folder.write(
            #"{"id":"A/1","fields":{"n":2,"m":{"z":0,"l":[1]},"s":"2","b":9007199254740993}}"# + "\n", to: "a.jsonl")
        try folder.write(
            #"{"id":"A/1","fields":{"n":{"$double":2},"m":{"z":{"$double":-0.0},"l":[{"$double":1}]},"s":2,"#
                + #""b":{"$double":9007199254740992}}}"# + "\n", to: "b.jsonl")
        #expect(
            try folder.run("records diff a.jsonl b.jsonl").output
                == "~ A/1\n    ~ s: \"2\" => 2\n    ~ b: 9007199254740993 => 9007199254740992.0\n")
        #expect(try folder.run("records diff a.jsonl b.jsonl --exactly").output.split(separator: "\n").count == 5)
    }

    @Test func summaryCountsByType() async throws {
        let output = """
            type    added  removed  changed
            Ape         1        0        0
            Book        1        1        0
            Person      0        0        2

            """
        #expect(
            try await files().run("records diff old.records new.records --summary")
                == ToolRun(status: 1, output: output, errors: ""))
    }

    @Test(arguments: [("", ""), ("--summary", "no differences\n")])
    func equalContentIsNotADifference(_ option: String, _ output: String) async throws {
        let folder = try await files()
        try folder.write(Self.old.reversed(), to: "reversed.jsonl")
        let run = try folder.run("records diff old.records reversed.jsonl \(option)")
        #expect(run == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func metadataCountsIfItIsWantedTo() throws {
        let folder = try ToolFolder()
        func line(_ id: String, _ tag: String, _ day: Int) -> String {
            let date = #"{"$date":"2020-01-0\#(day)T00:00:00Z"}"#
            let metadata = #"{"changeTag":"\#(tag)","creationDate":\#(date),"modificationDate":\#(date)}"#
            return #"{"id":"\#(id)","fields":{},"metadata":\#(metadata)}"#
        }
        let (bare, same) = (#"{"id":"A/2","fields":{}}"#, line("A/3", "x", 3))
        try folder.write([line("A/1", "a", 1), bare, same], to: "a.jsonl")
        try folder.write([line("A/1", "b", 1), line("A/2", "c", 2), same], to: "b.jsonl")
        #expect(try folder.run("records diff a.jsonl b.jsonl") == ToolRun(status: 0, output: "", errors: ""))
        let output = """
            ~ A/1
                metadata ~ changeTag: "a" => "b"
            ~ A/2
                metadata + changeTag: "c"
                metadata + creationDate: 2020-01-02T00:00:00Z
                metadata + modificationDate: 2020-01-02T00:00:00Z

            """
        #expect(
            try folder.run("records diff --metadata a.jsonl b.jsonl")
                == ToolRun(status: 1, output: output, errors: ""))
    }

    @Test func filesOfSeveralPagesAreCompared() async throws {
        let folder = try ToolFolder()
        let count = 2 * RecordPages.usualCount + 500
        func lines(_ numbers: Range<Int>, changing changed: Int) -> [String] {
            numbers.map { #"{"id":"A/\#($0)","fields":{"n":\#($0 == changed ? -1 : $0)}}"# }
        }
        try await folder.save(lines(0..<count, changing: -1), to: "a.records")
        try await folder.save(lines(2..<(count + 1), changing: count - 2), to: "b.records")
        let output = """
            - A/0
            - A/1
            ~ A/\(count - 2)
                ~ n: \(count - 2) => -1
            + A/\(count)

            """
        #expect(try folder.run("records diff a.records b.records") == ToolRun(status: 1, output: output, errors: ""))
    }

    @Test(
        arguments: [
            ("0123456789", "abcdefghij", nil, #"~ text: "0123456789" => "abcdefghij""#),
            ("0123456789", "abcdefghij", 40, #"~ text: "0123456789" => "abcdefghij""#),
            ("0123456789", "abcdefghij", 30, #"~ text: "0123456… => "abcdefg…"#),
            ("0123456789", "abcdefghij", 20, #"~ text: "01… => "ab…"#), ("0123456789", "abcdefghij", 9, "~ text: …"),
            ("0123456789", "a", 24, #"~ text: "0123456… => "a""#),
            ("one and the same start 1", "one and the same start 2", 40, #"~ text: …e start 1" => …e start 2""#),
            ("one and the same start 1", "one and the same start 2", 26, #"~ text: …rt 1" => …rt 2""#),
            ("山山山山山山山山山山a", "山山山山山山山山山山b", 54, #"~ text: …山山山山山山山山a" => …山山山山山山山山b""#),
        ] as [(String, String, Int?, String)])
    func changesFitTheTerminal(_ old: String, _ new: String, _ width: Int?, _ text: String) throws {
        let (old, new) = (
            try ToolFolder.record(#"{"id":"A/1","fields":{"text":"\#(old)"}}"#),
            try ToolFolder.record(#"{"id":"A/1","fields":{"text":"\#(new)"}}"#)
        )
        let change = try #require(try RecordGraph([new]).difference(from: RecordGraph([old])).changes.first)
        let lines = RecordDifference.changed(change.new.id, fields: change.fields, metadata: [])
            .text(within: width.map { $0 + 4 })
        #expect(lines == "~ A/1\n    \(text)\n")
    }
}
