import TestSupport
import Testing

@testable import NestedRecords

@Suite(.timeLimit(.minutes(60))) struct RootTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
    struct Root: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leaves: [Leaf]
    }

    private func makeDatabase() async throws -> CountingDatabase {
        let roots = [1, 2].map { Root(id: $0, leaves: [Leaf(id: 1), Leaf(id: $0 + 1)]) }
        return try await CountingDatabase(holding: try RecordEncoder().encode(roots))
    }

    private func expectNotFound(_ id: String, _ error: RecordError?) throws {
        #expect(error?.code == .recordNotFound && error?.recordID?.description == id)
    }

    @Test func missingRootIsReported() async throws {
        let database = try await makeDatabase()
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Root.self, named: "9", in: database)
        }
        try expectNotFound("Root/9", error)
        #expect(database.asked == ["Root/9"])
    }

    @Test func missingRootIsNilIfRequested() async throws {
        let database = try await makeDatabase()
        #expect(try await database.values.fetchIfPresent(Root.self, named: "9")?.value == nil)
        #expect(try await database.values.fetchIfPresent(Root.self, named: "1")?.leaves.count == 2)
    }

    @Test func missingPartIsNotAMissingRoot() async throws {
        let database = try await CountingDatabase(
            holding: [Flat.record("Root/1", ["id": .int(1), "leaves": Flat.references(["Leaf/1"])])])
        let error = await #expect(throws: RecordError.self) {
            try await database.values.fetchIfPresent(Root.self, named: "1")?.value
        }
        #expect(error?.code == .danglingReference && error?.recordID?.description == "Leaf/1")
    }

    @Test(arguments: [false, true])
    func oneMissingRootOfSeveralIsAnErrorUnderEveryPolicy(omitsDanglingReferences: Bool) async throws {
        let database = try await makeDatabase()
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = omitsDanglingReferences
        let ids = try ["Root/1", "Root/9", "Root/2"].map { try Record.ID($0) }
        let error = await #expect(throws: RecordError.self) {
            try await decoder.decode(Root.self, from: ids, in: database)
        }
        try expectNotFound("Root/9", error)
        #expect(database.calls == [ids])
    }

    @Test func rootThatIsNotInTheGraphIsAnError() throws {
        let graph = try RecordEncoder().encode(Root(id: 1, leaves: []))
        let error = #expect(throws: RecordError.self) {
            try RecordDecoder().decode(Root.self, from: graph, root: Record.ID("Root/9"))
        }
        try expectNotFound("Root/9", error)
    }
}
