import NestedRecords
import Testing

@testable import records

/// What reports take from the fields of a record.
@Suite struct RecordReadingTests {
    @Test func referencesHaveTheirPlaces() throws {
        let record = try ToolFolder.record(
            """
            {"id":"A/1","fields":{"a":{"$ref":"B/1"},"n":1,"list":[1,{"$ref":"B/2"},[{"$ref":"B/3"}],\
            {"x":{"$ref":"B/4"}}],"map":{"y":{"z":[{"$ref":"B/5"}]},"w":{"$ref":"B/6"}},"end":{"$ref":"B/7"}}}
            """)
        let found = record.placedReferences.map { "\($0.reference.id) \($0.path) \($0.field)" }
        #expect(
            found == [
                "B/1 a a", "B/2 list[1] list", "B/3 list[2][0] list", "B/4 list[3].x list.x",
                "B/5 map.y.z[0] map.y.z", "B/6 map.w map.w", "B/7 end end",
            ])
        #expect(record.placedReferences.map(\.reference) == record.references)
    }

    @Test func deepValuesAreGoneThroughWithoutRecursion() throws {
        var value = Record.Value.reference(Record.Reference(to: try Record.ID("B/1")))
        for _ in 0..<10_000 { value = .list([value]) }
        let record = try Record(id: Record.ID("A/1"), fields: ["deep": value])
        #expect(record.placedReferences.map(\.field) == ["deep"])
    }

    @Test(arguments: [
        (#""zip":"1","title":"T","name":"N""#, [#"name: "N""#, #"title: "T""#]),
        (#""b":"x","a":"y","c":"z""#, [#"b: "x""#, #"a: "y""#]),
        // The record's own name, nothing, no text, and a text that is not short.
        (#""id":"1","b":"","n":7,"long":"0123456789a","a":"0123456789""#, [#"a: "0123456789""#]),
        (#""name":"0123456789a""#, [#"name: "012345678…""#]), (#""name":"山山山山山山""#, [#"name: "山山山山…""#]),
        (#""name":null"#, []),
    ])
    func informativeStringsComeFirst(_ fields: String, _ texts: [String]) throws {
        let record = try ToolFolder.record(#"{"id":"A/1","fields":{\#(fields)}}"#)
        #expect(record.keyTexts(atMost: 2, width: 10) == texts)
    }
}
