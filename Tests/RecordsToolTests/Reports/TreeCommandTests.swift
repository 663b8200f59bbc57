import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct TreeCommandTests {
    private static let tree = """
        School/hilltop  name: "Hilltop"
        ├─ director: Person/ada  name: "Ada Adams"
        │  └─ mentor: Person/bo  ⇢ link  name: "Bo 王小明"
        ├─ students[0]: Person/bo  name: "Bo 王小明"
        │  └─ house: House/north  title: "North"
        │     └─ head: Person/ada  ↑ shown above
        ├─ students[1]: Person/ghost  ✗ missing
        ├─ students[2]: Person/ada  ↑ shown above
        ├─ address.keeper: Person/bo  ↑ shown above
        └─ self: School/hilltop  ↻ cycle

        """

    @Test(arguments: ["school.records", "school.jsonl", "- < school.jsonl"])
    func everyReferenceIsALine(_ input: String) async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.lines, to: "school.records")
        try folder.write(SchoolRecords.lines, to: "school.jsonl")
        let file = input.hasPrefix("-") ? "- School/hilltop < school.jsonl" : "\(input) School/hilltop"
        #expect(try folder.run("records get \(file) --tree") == ToolRun(status: 0, output: Self.tree, errors: ""))
    }

    @Test(arguments: [
        (0, "School/hilltop  … 6 references deeper  name: \"Hilltop\"\n"),
        (
            1,
            """
            School/hilltop  name: "Hilltop"
            ├─ director: Person/ada  … 1 reference deeper  name: "Ada Adams"
            ├─ students[0]: Person/bo  … 1 reference deeper  name: "Bo 王小明"
            ├─ students[1]: Person/ghost  ✗ missing
            ├─ students[2]: Person/ada  … 1 reference deeper  name: "Ada Adams"
            ├─ address.keeper: Person/bo  … 1 reference deeper  name: "Bo 王小明"
            └─ self: School/hilltop  ↻ cycle

            """
        ),
    ])
    func depthEndsTheTreeAndSaysSo(_ depth: Int, _ output: String) throws {
        let folder = try ToolFolder()
        try folder.write(SchoolRecords.lines, to: "school.jsonl")
        let run = try folder.run("records get school.jsonl School/hilltop --tree --depth \(depth)")
        #expect(run == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func recordCutOffByTheDepthIsShownWhereItFits() throws {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"A/1","fields":{"far":{"$ref":"A/2"},"near":{"$ref":"A/3"}}}"#,
                #"{"id":"A/2","fields":{"next":{"$ref":"A/3"}}}"#, #"{"id":"A/3","fields":{"next":{"$ref":"A/4"}}}"#,
                #"{"id":"A/4","fields":{}}"#,
            ], to: "a.jsonl")
        let output = """
            A/1
            ├─ far: A/2
            │  └─ next: A/3  … 1 reference deeper
            └─ near: A/3
               └─ next: A/4

            """
        #expect(try folder.run("records get a.jsonl A/1 --tree -d 2") == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func longListIsGoneThroughInPortions() throws {
        let folder = try ToolFolder()
        let count = 2 * RecordTree.portion + 1
        let list = (0..<count).map { #"{"$ref":"B/\#($0)"}"# }.joined(separator: ",")
        try folder.write(
            [#"{"id":"A/1","fields":{"list":[\#(list)]}}"#]
                + (0..<count).map { #"{"id":"B/\#($0)","fields":{"name":"\#($0) b"}}"# }, to: "a.jsonl")
        let run = try folder.run("records get a.jsonl A/1 --tree")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == count + 1)
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("├─ list[") })
        #expect(lines.last == #"└─ list[2000]: B/2000  name: "2000 b""#)
    }

    @Test func longChainEndsAtTheDepth() throws {
        let folder = try ToolFolder()
        try folder.write(
            (0..<5_000).map { #"{"id":"A/\#($0)","fields":{"next":{"$ref":"A/\#($0 + 1)"}}}"# }, to: "a.jsonl")
        let run = try folder.run("records get a.jsonl A/0 --tree")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 101)
        #expect(lines.last?.hasSuffix("└─ next: A/100  … 1 reference deeper") == true)
        let deepest = try folder.run("records get a.jsonl A/0 --tree --depth 1000").output.split(separator: "\n")
        #expect(deepest.count == 1_001)
    }

    @Test(
        arguments: [
            (
                nil, 5,
                #"├─ friends[0]: Person/x  name: "A name of which nobody knows where it e…"  nick: "x\n\u{202e}y""#
            ),
            (60, 5, #"├─ friends[0]: Person/x  name: "A name of which nobody know…"#),
            (12, 1, "├─ friends[…"), (20, 30, "…      ├─ friends[0…"), (1, 1, "…"),
        ] as [(Int?, Int, String)])
    func linesFitTheTerminal(_ width: Int?, _ depth: Int, _ text: String) throws {
        let record = try ToolFolder.record(
            """
            {"id":"Person/x","fields":{"nick":"x\\n\u{202e}y","same":"x","name":"A name of which nobody knows where \
            it ends, or when"}}
            """)
        let line = TreeLine(
            id: record.id, record: record, path: "friends[0]",
            indentation: depth < 6 ? "" : String(repeating: " ", count: depth))
        let plain = Terminal(isTerminal: true, width: width, allowsColour: false)
        #expect(line.text(within: width, on: plain) == text)
        let colours = Terminal(isTerminal: true, width: width, allowsColour: true)
        #expect(line.text(within: width, on: colours).withoutColours == text)
        #expect(width.map { text.displayWidth <= $0 } ?? true)
    }
}
