import Testing

@testable import records

@Suite struct PictureTextTests {
    private let picture = Picture(
        nodes: [
            Picture.Node(id: "School/1", title: "School/1", lines: ["name: \"A\" <b> & [c]\n日本 \\n"], type: "School"),
            Picture.Node(id: "P/1", title: "P/`1`|#x;", type: "Person"),
        ],
        edges: [
            Picture.Edge(from: "School/1", to: "P/1", label: "a\"b"),
            Picture.Edge(from: "School/1", to: "P/1", label: "link", kind: .link),
            Picture.Edge(from: "P/1", to: "School/1", label: "", kind: .deleteSelf),
            Picture.Edge(from: "P/1", to: "P/9", label: "x", kind: .link),
        ])

    @Test func dotSaysEverythingEscaped() {
        #expect(
            picture.dot == #"""
                digraph records {
                    node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11]
                    edge [fontname="monospace", fontsize=9, color="#6b7280"]
                    n0 [label="School/1\nname: \"A\" <b> &amp; [c]\\n日本 \\n", fillcolor="#95d08e", color="#085202"]
                    n1 [label="P/`1`|#x;", fillcolor="#b7b7b7", color="#2e2e2e"]
                    n2 [label="P/9", style="rounded,dashed"]
                    n0 -> n1 [label="a\"b"]
                    n0 -> n1 [label="link", style=dashed]
                    n1 -> n0 [label="", penwidth=2.5]
                    n1 -> n2 [label="x", style=dashed]
                }

                """#)
    }

    @Test func mermaidSaysEverythingEscaped() {
        let name = "name: #34;A#34; #60;b#62; #38; #91;c#93;#92;n日本 #92;n"
        #expect(
            picture.mermaid == """
                flowchart TB
                    n0["School/1<br/>\(name)"]:::t10
                    n1["P/#96;1#96;#124;#35;x#59;"]:::t15
                    n2["P/9"]:::missing
                    n0 -->|"a#34;b"| n1
                    n0 -.->|"link"| n1
                    n1 ==> n0
                    n1 -.->|"x"| n2
                    classDef t10 fill:#95d08e,stroke:#085202,color:#1f2328
                    classDef t15 fill:#b7b7b7,stroke:#2e2e2e,color:#1f2328
                    classDef missing stroke-dasharray:4 3

                """)
    }

    @Test func emptyPictureHasNoBoxes() throws {
        let picture = Picture(nodes: [], edges: [])
        #expect(picture.mermaid == "flowchart TB\n")
        #expect(!picture.dot.contains("n0"))
        #expect(try !picture.svg().contains("<text"))
    }

    @Test func summaryCountsTypesAndTheirFields() {
        var summary = PictureSummary()
        for _ in 1...1_200 { summary.add(recordOf: "Person") }
        summary.add(recordOf: "School")
        for _ in 1...1_000 { summary.add(referenceFrom: "School", "students", to: "Person", .owning) }
        summary.add(referenceFrom: "School", "director", to: "Person", .owning)
        summary.add(referenceFrom: "Person", "friend", to: "Person", .link)
        summary.add(referenceFrom: "Person", "friend", to: "Person", .owning)
        summary.add(referenceFrom: "Person", "pet", to: "Animal", .deleteSelf)
        let picture = summary.picture
        #expect(
            picture.nodes == [
                Picture.Node(id: "Person", title: "Person", lines: ["1,200 records"], type: "Person"),
                Picture.Node(id: "School", title: "School", lines: ["1 record"], type: "School"),
                Picture.Node(id: "Animal", title: "Animal", type: "", isMissing: true),
            ])
        #expect(
            picture.edges == [
                Picture.Edge(from: "Person", to: "Person", label: "friend ×1"),
                Picture.Edge(from: "Person", to: "Person", label: "friend ×1", kind: .link),
                Picture.Edge(from: "Person", to: "Animal", label: "pet ×1", kind: .deleteSelf),
                Picture.Edge(from: "School", to: "Person", label: "director ×1"),
                Picture.Edge(from: "School", to: "Person", label: "students ×1,000"),
            ])
    }
}
