import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct GraphCommandTests {
    private static let head = """
        digraph records {
            node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11]
            edge [fontname="monospace", fontsize=9, color="#6b7280"]

        """

    @Test func recordsThatReferToTheRootAreDrawnIfWanted() async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.lines, to: "school.records")
        let plain = try folder.output("records graph school.records House/north --depth 0")
        #expect(!plain.contains("Person/bo"))
        let drawn = try folder.output("records graph school.records House/north --depth 0 --refs")
        #expect(drawn.contains("Person/bo"))
        #expect(drawn.contains(#"[label="house"]"#))
        #expect(!drawn.contains("School/hilltop"))
        #expect(
            try folder.run("records graph school.records --refs")
                == .error("option '--refs' needs ROOT-ID (see 'records graph --help')", status: 2))
    }

    @Test(arguments: ["school.records", "school.jsonl", "- < school.jsonl"])
    func withoutARootAllRecordsAreDrawn(_ input: String) async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.lines, to: "school.records")
        try folder.write(SchoolRecords.lines, to: "school.jsonl")
        let output = #"""
                n0 [label="Person/ada\nname: \"Ada Adams\"", fillcolor="#b7b7b7", color="#2e2e2e"]
                n1 [label="Person/bo\nname: \"Bo 王小明\"", fillcolor="#b7b7b7", color="#2e2e2e"]
                n2 [label="House/north\ntitle: \"North\"", fillcolor="#95d08e", color="#085202"]
                n3 [label="School/hilltop\nname: \"Hilltop\"", fillcolor="#57d4d1", color="#034d4c"]
                n4 [label="Person/ghost", style="rounded,dashed"]
                n0 -> n1 [label="mentor", style=dashed]
                n1 -> n2 [label="house"]
                n2 -> n0 [label="head"]
                n3 -> n0 [label="director"]
                n3 -> n1 [label="students"]
                n3 -> n4 [label="students"]
                n3 -> n0 [label="students"]
                n3 -> n1 [label="address.keeper"]
                n3 -> n3 [label="self"]
            }

            """#
        #expect(try folder.run("records graph \(input)") == ToolRun(status: 0, output: Self.head + output, errors: ""))
    }

    @Test func pictureBelowARootHasWhatItLeadsTo() throws {
        let folder = try ToolFolder()
        try folder.write(
            SchoolRecords.lines + [#"{"id":"Person/eve","fields":{"house":{"$ref":"House/north"}}}"#],
            to: "school.jsonl")
        let output = """
            flowchart TB
                n0["Person/bo<br/>name: #34;Bo 王小明#34;"]:::t15
                n1["House/north<br/>title: #34;North#34;"]:::t10
                n2["Person/ada<br/>name: #34;Ada Adams#34;"]:::t15
                n0 -->|"house"| n1
                n1 -->|"head"| n2
                n2 -.->|"mentor"| n0
                classDef t10 fill:#95d08e,stroke:#085202,color:#1f2328
                classDef t15 fill:#b7b7b7,stroke:#2e2e2e,color:#1f2328

            """
        let run = try folder.run("records graph school.jsonl Person/bo --format mermaid")
        #expect(run == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func depthAndLinksEndTheWay() throws {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"A/1","fields":{"a":{"$ref":"A/2"},"link":{"$ref":"B/1","link":true}}}"#,
                #"{"id":"A/2","fields":{"a":{"$ref":"A/3"},"up":{"$ref":"A/1"},"b":{"$ref":"B/9"}}}"#,
                #"{"id":"A/3","fields":{}}"#, #"{"id":"B/1","fields":{"b":{"$ref":"B/2"},"a":{"$ref":"A/2"}}}"#,
                #"{"id":"B/2","fields":{}}"#,
            ], to: "a.jsonl")
        let output = """
            flowchart TB
                n0["A/1"]:::t0
                n1["A/2"]:::t0
                n2["B/1"]:::t9
                n0 -->|"a"| n1
                n0 -.->|"link"| n2
                n1 -->|"up"| n0
                n2 -->|"a"| n1
                classDef t0 fill:#feeae3,stroke:#bc3f06,color:#1f2328
                classDef t9 fill:#d9bb66,stroke:#524003,color:#1f2328

            """
        let run = try folder.run("records graph a.jsonl A/1 -f mermaid --depth 1")
        #expect(run == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func linkedRecordIsFollowedIfAnotherWayLeadsThere() throws {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"A/1","fields":{"link":{"$ref":"A/3","link":true},"next":{"$ref":"A/2"}}}"#,
                #"{"id":"A/2","fields":{"next":{"$ref":"A/3"}}}"#, #"{"id":"A/3","fields":{"next":{"$ref":"A/4"}}}"#,
                #"{"id":"A/4","fields":{"link":{"$ref":"A/1","link":true},"gone":{"$ref":"A/5","link":true}}}"#,
            ], to: "a.jsonl")
        let output = """
            flowchart TB
                n0["A/1"]:::t0
                n1["A/2"]:::t0
                n2["A/3"]:::t0
                n3["A/4"]:::t0
                n4["A/5"]:::missing
                n0 -.->|"link"| n2
                n0 -->|"next"| n1
                n1 -->|"next"| n2
                n2 -->|"next"| n3
                n3 -.->|"link"| n0
                n3 -.->|"gone"| n4
                classDef t0 fill:#feeae3,stroke:#bc3f06,color:#1f2328
                classDef missing stroke-dasharray:4 3

            """
        let run = try folder.run("records graph a.jsonl A/1 -f mermaid")
        #expect(run == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func drawingIsThatOfThePicture() async throws {
        let folder = try ToolFolder()
        try folder.write(SchoolRecords.lines, to: "school.jsonl")
        var picture = RecordPicture(isSummary: false)
        for line in SchoolRecords.lines { try picture.add(ToolFolder.record(line)) }
        let drawing = try picture.finish().svg()
        #expect(
            try folder.run("records graph school.jsonl --format svg")
                == ToolRun(status: 0, output: drawing, errors: ""))
    }

    /// Pairs of records: A/n → B/n → C/n, where C/n is not there.
    private func write(_ pairs: Int, to folder: ToolFolder) throws {
        try folder.write(
            (0..<pairs).flatMap { number in
                [
                    #"{"id":"A/\#(number)","fields":{"b":{"$ref":"B/\#(number)"}}}"#,
                    #"{"id":"B/\#(number)","fields":{"c":{"$ref":"C/1","action":"deleteSelf"}}}"#,
                ]
            }, to: "pairs.jsonl")
    }

    private static func types(_ count: Int) -> String {
        """
        flowchart TB
            n0["A<br/>\(count) records"]:::t0
            n1["B<br/>\(count) records"]:::t9
            n2["C"]:::missing
            n0 -->|"b ×\(count)"| n1
            n1 ==>|"c ×\(count)"| n2
            classDef t0 fill:#feeae3,stroke:#bc3f06,color:#1f2328
            classDef t9 fill:#d9bb66,stroke:#524003,color:#1f2328
            classDef missing stroke-dasharray:4 3

        """
    }

    @Test(
        arguments: [
            (150, "", "300 records (give a ROOT-ID to draw the records below it)"),
            // 200 records, and the one that is missing.
            (100, "", "200 records (give a ROOT-ID to draw the records below it)"),
            (99, "", nil), (3, "--summary", ""), (150, "-s", ""),
        ] as [(Int, String, String?)])
    func manyRecordsAreDrawnAsTypes(_ pairs: Int, _ options: String, _ hint: String?) throws {
        let folder = try ToolFolder()
        try write(pairs, to: folder)
        let run = try folder.run("records graph pairs.jsonl -f mermaid \(options)")
        guard let hint else {
            #expect(run.errors == "")
            #expect(run.output.contains(#"n0["A/0"]"#))
            return
        }
        let error = "records: more than 200 boxes cannot be read: drew the types of \(hint)\n"
        #expect(run == ToolRun(status: 0, output: Self.types(pairs), errors: hint.isEmpty ? "" : error))
    }

    @Test func manyRecordsBelowARootAreDrawnAsTypes() throws {
        let folder = try ToolFolder()
        let list = (0..<250).map { #"{"$ref":"B/\#($0)"}"# }.joined(separator: ",")
        try folder.write(
            [#"{"id":"A/1","fields":{"list":[\#(list)]}}"#, #"{"id":"Z/1","fields":{}}"#]
                + (0..<250).map { #"{"id":"B/\#($0)","fields":{}}"# }, to: "a.jsonl")
        let run = try folder.run("records graph a.jsonl A/1")
        #expect(
            run.errors
                == """
                records: more than 200 boxes cannot be read: drew the types of 251 records (give a smaller --depth)

                """)
        #expect(
            run.output
                == Self.head + #"""
                        n0 [label="A\n1 record", fillcolor="#feeae3", color="#bc3f06"]
                        n1 [label="B\n250 records", fillcolor="#d9bb66", color="#524003"]
                        n0 -> n1 [label="list ×250"]
                    }

                    """#)
    }

    @Test func recordThatStandsTwiceIsOneBoxOrAnError() throws {
        let folder = try ToolFolder()
        let line = #"{"id":"A/1","fields":{"n":1}}"#
        try folder.write([line, line], to: "same.jsonl")
        try folder.write([line, #"{"id":"A/1","fields":{"n":2}}"#], to: "other.jsonl")
        #expect(
            try folder.run("records graph same.jsonl").output
                == Self.head + "    n0 [label=\"A/1\", fillcolor=\"#feeae3\", color=\"#bc3f06\"]\n}\n")
        #expect(try folder.run("records graph other.jsonl").status == 1)
    }

    @Test func emptyInputIsAnEmptyPicture() throws {
        let folder = try ToolFolder()
        #expect(
            try folder.run("records graph - < /dev/null")
                == ToolRun(status: 0, output: Self.head + "}\n", errors: ""))
    }
}
