import TestSupport
import Testing

@testable import NestedRecords

/// References in fields that have former names are fetched with the others.
@Suite(.timeLimit(.minutes(60))) struct FormerFieldFetchTests {
    private struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: Int
        static let recordType = "RenamedLeaf"
    }

    private struct Root: RecordCodable, Identifiable, Equatable {
        var id: Int
        var first: Leaf
        var leaves: [Leaf]
        static let recordType = "RenamedRoot"
        static let schema = RecordSchema(formerNames: ["leaves": ["items"]])
    }

    @Test func formerFieldTakesNoCallOfItsOwn() async throws {
        let references = try ["RenamedLeaf/2", "RenamedLeaf/3"].map { try Flat.reference($0) }
        let database = try await CountingDatabase(holding: [
            Flat.record(
                "RenamedRoot/1", ["id": .int(1), "first": Flat.reference("RenamedLeaf/1"), "items": .list(references)]),
            Flat.record("RenamedLeaf/1", ["id": .int(1)]), Flat.record("RenamedLeaf/2", ["id": .int(2)]),
            Flat.record("RenamedLeaf/3", ["id": .int(3)]),
        ])
        for _ in 1...2 {
            let root = try await RecordDecoder().decode(Root.self, from: Record.ID("RenamedRoot/1"), in: database)
            #expect(root == Root(id: 1, first: Leaf(id: 1), leaves: [Leaf(id: 2), Leaf(id: 3)]))
            #expect(database.sortedCalls == [["RenamedRoot/1"], ["RenamedLeaf/1", "RenamedLeaf/2", "RenamedLeaf/3"]])
            database.forgetCalls()
        }
    }
}
