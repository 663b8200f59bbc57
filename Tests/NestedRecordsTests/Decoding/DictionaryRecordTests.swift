import NestedRecords
import TestSupport
import Testing

/// A record whose fields are the entries of a dictionary: its type hands the coder on.
@Suite(.timeLimit(.minutes(60))) struct DictionaryRecordTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    struct Team: RecordCodable, Equatable {
        static var recordType: String { "Team" }
        var recordName: String { "team" }
        var members: [String: Leaf]

        init(from decoder: any Decoder) throws { members = try [String: Leaf](from: decoder) }
        func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
    }

    private func makeRecords() throws -> [Record] {
        [
            try Flat.record(
                "Team/team",
                [
                    "annLee": Flat.reference("Leaf/1"), "bobRay": Flat.reference("Leaf/2"),
                    "coKim": Flat.reference("Leaf/3"),
                ]),
            try Flat.record("Leaf/1", ["id": .int(1)]),
            try Flat.record("Leaf/2", ["id": .int(2)]),
            try Flat.record("Leaf/3", ["id": .int(3)]),
        ]
    }

    @Test(arguments: [false, true])
    func entriesAreFetchedTogetherOnceTheTypeIsKnown(isSnakeCase: Bool) async throws {
        let database = try await CountingDatabase(holding: makeRecords())
        var decoder = RecordDecoder()
        if isSnakeCase { decoder.coding.keyStrategy = .snakeCase }
        let root = try Record.ID("Team/team")
        for _ in 1...2 { _ = try await decoder.decode(Team.self, from: root, in: database) }
        database.forgetCalls()
        _ = try await decoder.decode(Team.self, from: root, in: database)
        #expect(database.sortedCalls == [["Team/team"], ["Leaf/1", "Leaf/2", "Leaf/3"]])
    }

    @Test func errorsNameTheEntryAsItIsStored() throws {
        let graph = try RecordGraph([Flat.record("Team/team", ["annLee": Flat.reference("Leaf/1")])])
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = .snakeCase
        do {
            _ = try decoder.decode(Team.self, from: graph)
            Issue.record("decoded without the target")
        } catch let error as RecordError where error.code == .danglingReference {
            let place = error.context
            #expect(place.field == "annLee")
        }
    }
}
