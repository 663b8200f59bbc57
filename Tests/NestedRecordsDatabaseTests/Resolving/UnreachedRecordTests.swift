import TestSupport
import Testing

@testable import NestedRecords

/// Records that were fetched along another way than the one that decoding takes.
@Suite(.timeLimit(.minutes(60))) struct UnreachedRecordTests {
    struct Root: RecordDecodable, Identifiable {
        var id: Int
        var branch: Branch
        /// Looks as if it were followed, until the value is decoded.
        var pointer: Record.Reference
        var leafOwner: Owner
    }

    struct Branch: RecordDecodable, Identifiable {
        var id: Int
        var owner: Owner?
    }

    struct Owner: RecordDecodable, Identifiable {
        var id: Int
        var leaf: Leaf?
    }

    struct Leaf: RecordDecodable, Identifiable { var id: Int }

    @Test
    func depthIsThatOfTheWayThatDecodingTakes() async throws {
        let records = [
            try Flat.record(
                "Root/1",
                [
                    "id": .int(1), "branch": Flat.reference("Branch/2"), "pointer": Flat.reference("Branch/1"),
                    "leafOwner": Flat.reference("Owner/1", isLink: true),
                ]),
            try Flat.record("Branch/1", ["id": .int(1), "owner": Flat.reference("Owner/1")]),
            try Flat.record("Branch/2", ["id": .int(2)]),
            try Flat.record("Owner/1", ["id": .int(1), "leaf": Flat.reference("Leaf/1", isLink: true)]),
            try Flat.record("Leaf/1", ["id": .int(1)]),
        ]
        let id = try Record.ID("Root/1")
        var decoder = RecordDecoder()
        decoder.coding.maximumDepth = 3
        #expect(try decoder.decode(Root.self, from: RecordGraph(records), root: id).leafOwner.leaf?.id == 1)
        let database = try await CountingDatabase(holding: records)
        #expect(try await decoder.decode(Root.self, from: id, in: database).leafOwner.leaf?.id == 1)
    }
}
