import Foundation
import NestedRecords
import Testing

@Suite struct RecordGraphCodableTests {
    struct Pupil: RecordCodable, Identifiable {
        var id: String
    }

    struct School: RecordCodable, Identifiable {
        var id: String
        var pupils: [Pupil]
    }

    @Test func graphReadsBackWithRootsAndOrder() throws {
        let schools = [
            School(id: "hilltop", pupils: [Pupil(id: "ann"), Pupil(id: "bo")]),
            School(id: "dale", pupils: [Pupil(id: "bo")]),
        ]
        let graph = try RecordEncoder().encode(schools)
        let back = try JSONDecoder().decode(RecordGraph.self, from: JSONEncoder().encode(graph))
        #expect(back.roots == graph.roots)
        #expect(back.map(\.id) == graph.map(\.id))
        #expect(back.difference(from: graph).isEmpty)
        #expect(try RecordDecoder().decodeAll(School.self, from: back).map(\.id) == ["hilltop", "dale"])
    }

    @Test(arguments: [
        #"{"records":[],"roots":["A/1"]}"#, #"{"records":[],"roots":[],"more":1}"#, #"{"records":[]}"#,
        #"{"records":[{"id":"A/1","fields":{"a":1}},{"id":"A/1","fields":{"a":2}}],"roots":[]}"#,
    ]) func valueThatIsNotAGraphIsRefused(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordGraph.self, from: Data(text.utf8)) }
    }
}
