import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct FieldMergeTests {
    func conflict(
        client: Record.Fields, server: Record.Fields, ancestor: Record.Fields?
    ) throws -> SaveConflict {
        var theirs = try Flat.record("A/1", server)
        theirs.metadata = Record.Metadata(
            changeTag: "theirs", creationDate: .distantPast, modificationDate: .distantPast)
        return SaveConflict(
            client: try Flat.record("A/1", client), server: theirs,
            ancestor: try ancestor.map { try Flat.record("A/1", $0) })
    }

    @Test func eachFieldIsTakenFromTheSideThatChangedIt() throws {
        let conflict = try conflict(
            client: ["same": 1, "ours": 2, "theirs": 1, "both": 5, "oursNew": 1, "theirsGone": 1],
            server: ["same": 1, "ours": 1, "theirs": 3, "both": 5, "theirsNew": 1, "oursGone": 1],
            ancestor: ["same": 1, "ours": 1, "theirs": 1, "both": 4, "oursGone": 1, "theirsGone": 1, "bothGone": 1])
        #expect(conflict.contestedFields.isEmpty)
        let merged = try conflict.merged()
        #expect(merged.fields == ["same": 1, "ours": 2, "theirs": 3, "both": 5, "oursNew": 1, "theirsNew": 1])
        #expect(merged.fields.map(\.name) == ["same", "ours", "theirs", "both", "oursNew", "theirsNew"])
        #expect(merged.id == conflict.client.id && merged.metadata?.changeTag == "theirs")
    }

    static let contested: [(client: Record.Value?, server: Record.Value?, ancestor: Record.Value?)] = [
        (1, 2, 0), (1, 2, nil), (nil, 2, 0), (1, nil, 0), (0.0, -0.0, 1), ("\u{E9}", "e\u{301}", "e"),
        ([1], [2], []), (["a": 1], ["b": 1], [:]), (.null, nil, 0),
    ]

    func contestedConflict(_ index: Int) throws -> SaveConflict {
        let values = Self.contested[index]
        var sides: [Record.Fields] = Array(repeating: ["x": 1], count: 3)
        for (side, value) in [values.client, values.server, values.ancestor].enumerated() { sides[side]["f"] = value }
        return try conflict(client: sides[0], server: sides[1], ancestor: sides[2])
    }

    @Test(arguments: contested.indices) func whatBothSidesChangedIsAskedFor(index: Int) throws {
        let conflict = try contestedConflict(index)
        let values = Self.contested[index]
        for answer: Record.Value? in [values.client, values.server, nil, 42] {
            var asked: [SaveConflict.Field] = []
            let merged = conflict.merged { field in
                asked.append(field)
                return answer
            }
            #expect(asked == conflict.contestedFields)
            #expect(asked.map(\.name) == ["f"] && asked.map(\.client) == [values.client])
            #expect(asked.map(\.server) == [values.server] && asked.map(\.ancestor) == [values.ancestor])
            #expect(merged["f"] == answer)
            #expect(merged["x"] == 1)
        }
    }

    @Test(arguments: contested.indices) func whatNobodyDecidesIsAnErrorThatNamesTheField(index: Int) throws {
        let conflict = try contestedConflict(index)
        let field = try #require(conflict.contestedFields.first)
        let error = #expect(throws: RecordError.self) { try conflict.merged() }
        #expect(error?.code == .contestedField && error?.recordID == conflict.client.id && error?.field == field.name)
    }

    @Test func withoutAnAncestorEveryFieldThatDiffersIsAskedFor() throws {
        let conflict = try conflict(
            client: ["same": 1, "b": 1, "ours": 1], server: ["theirs": 1, "same": 1, "b": 2], ancestor: nil)
        #expect(conflict.contestedFields.map(\.name) == ["b", "ours", "theirs"])
        let ours = conflict.merged { $0.client }
        #expect(ours.fields == conflict.client.fields)
        let theirs = conflict.merged { $0.server }
        #expect(theirs.fields == conflict.server.fields)
    }

    @Test func nameInAnotherSpellingIsAChange() throws {
        let ours = try conflict(client: ["e\u{301}": 1], server: ["\u{E9}": 1], ancestor: ["\u{E9}": 1]).merged()
        #expect(ours.fields.map { $0.name.utf8.count } == [3])
        let theirs = try conflict(client: ["\u{E9}": 1], server: ["e\u{301}": 1], ancestor: ["\u{E9}": 1]).merged()
        #expect(theirs.fields.map { $0.name.utf8.count } == [3])
    }

    @Test func errorsOfTheClosureComeThrough() throws {
        struct Refused: Error {}
        let conflict = try contestedConflict(0)
        #expect(throws: Refused.self) { try conflict.merged { _ in throw Refused() } }
    }
}
