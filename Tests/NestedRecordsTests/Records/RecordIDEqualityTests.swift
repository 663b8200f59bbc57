import NestedRecords
import Testing

@Suite struct RecordIDEqualityTests {
    // Swift takes the two names for equal.
    private let composed: Record.ID
    private let decomposed: Record.ID

    init() throws {
        composed = try Record.ID("A/caf\u{E9}")
        decomposed = try Record.ID("A/cafe\u{301}")
    }

    @Test func namesAreComparedByBytes() throws {
        #expect(composed.name == decomposed.name)
        #expect(composed != decomposed)
        #expect(try composed == Record.ID(type: "A", name: "caf\u{E9}"))
        #expect(try Record.ID("A/1") != Record.ID("B/1"))
        #expect(try Record.ID("A/1") != Record.ID("a/1"))
    }

    @Test func spellingsAreTwoElementsKeysRecordsAndReferences() throws {
        #expect(Set([composed, decomposed, composed]).count == 2)
        let names = [composed: 1, decomposed: 2]
        #expect(names[composed] == 1 && names[decomposed] == 2)
        let records = try [composed, decomposed].enumerated().map { try Record(id: $1, fields: ["n": .int(Int64($0))]) }
        let graph = try RecordGraph(records)
        #expect(graph.count == 2)
        #expect([graph[composed], graph[decomposed]] == records)
        let references = [composed, decomposed].map { Record.Value.reference(Record.Reference(to: $0)) }
        #expect(references[0] != references[1])
        #expect(Set(references).count == 2)
    }

    @Test func textsOfOtherStorageHashAlike() throws {
        let pieces = "A/caf\u{E9}".map(String.init).joined()
        let copy = String(decoding: Array(pieces.utf8), as: UTF8.self)
        #expect(try Record.ID(copy) == composed)
        #expect(try Record.ID(copy).hashValue == composed.hashValue)
    }

    @Test func typeAndNameDoNotRunTogether() throws {
        let ids: Set = try [
            Record.ID(type: "AB", name: "C"), Record.ID(type: "A", name: "BC"), Record.ID(type: "A", name: "B/C"),
        ]
        #expect(ids.count == 3)
    }

    @Test func orderIsByTypeThenName() throws {
        let texts = ["B/1", "A/2", "A/10", "A.B/0", "a/0", "A/1"]
        let sorted = try texts.map { try Record.ID($0) }.sorted()
        #expect(sorted.map(\.description) == ["A/1", "A/10", "A/2", "A.B/0", "B/1", "a/0"])
    }

    @Test func differentIDsHaveAnOrder() {
        #expect((composed < decomposed) != (decomposed < composed))
        #expect([composed, decomposed].sorted() == [decomposed, composed].sorted())
    }
}
