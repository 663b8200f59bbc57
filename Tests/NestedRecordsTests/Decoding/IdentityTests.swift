import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct IdentityTests {
    struct Leaf: RecordCodable, Identifiable { var id: Int }
    struct Root: RecordCodable, Identifiable {
        var id: String
        var leaves: [Leaf]
    }

    @Test func recordOfAnotherTypeIsRefused() async throws {
        let records = [
            try Flat.record("Root/1", ["id": .string("1"), "leaves": Flat.references(["Leaf/1", "Wrong/1"])]),
            try Flat.record("Leaf/1", ["id": .int(1)]), try Flat.record("Wrong/1", ["id": .int(1)]),
        ]
        let database = try await CountingDatabase(holding: records)
        let id = try Record.ID("Root/1")
        let errors = [
            #expect(throws: RecordError.self) { try RecordDecoder().decode(Root.self, from: RecordGraph(records)) },
            await #expect(throws: RecordError.self) {
                try await RecordDecoder().decode(Root.self, from: id, in: database)
            },
        ]
        for error in errors {
            #expect(error?.code == .typeMismatch && error?.description.contains("of the type Leaf") == true)
            #expect(error?.recordID?.description == "Wrong/1")
            #expect(error?.context.keys == ["leaves", "Index 1"])
            #expect(error?.context.steps == ["Root/1.leaves[1]"])
        }
    }

    @Test func rootOfAnotherTypeIsRefused() async throws {
        let database = try await CountingDatabase(holding: [Flat.record("Leaf/1", ["id": .int(1)])])
        let id = try Record.ID("Leaf/1")
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Root.self, from: id, in: database)
        }
        #expect(error?.code == .typeMismatch && error?.recordID == id)
        #expect(error?.context.chain.isEmpty == true)
    }

    @Test func identifierThatCodingKeysLeaveOutIsAnError() throws {
        struct Person: RecordCodable, Identifiable {
            var id = UUID()
            var name: String
            enum CodingKeys: CodingKey { case name }
        }
        struct Team: RecordCodable, Identifiable {
            var id: Int
            var leader: Person
        }
        let team = Team(id: 1, leader: Person(name: "p"))
        let graph = try RecordEncoder().encode(team)
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Team.self, from: graph) }
        guard let error, error.code == .identityMismatch, let record = error.recordID else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error.description.hasPrefix("decoded identity Person/"))
        #expect(record.name == team.leader.id.uuidString)
        #expect(error.context.steps == ["Team/1.leader", "\(record)"])
    }

    @Test func identifierThatDiffersFromTheNameIsAnError() throws {
        let graph = try RecordGraph([Flat.record("Root/a", ["id": .string("b"), "leaves": .list([])])])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Root.self, from: graph) }
        #expect(error?.code == .identityMismatch)
        #expect(error?.description.hasPrefix("decoded identity Root/b does not match record Root/a") == true)
        #expect(error?.recordID?.description == "Root/a")
    }

    @Test func namesAreComparedByTheirBytes() throws {
        let graph = try RecordGraph([
            Flat.record("Root/caf\u{E9}", ["id": .string("cafe\u{301}"), "leaves": .list([])])
        ])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Root.self, from: graph) }
        #expect(error?.code == .identityMismatch)
    }
}
