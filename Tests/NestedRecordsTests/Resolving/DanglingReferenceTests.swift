import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DanglingReferenceTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
    struct Branch: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leaves: [String: [Leaf]]
    }
    struct Root: RecordCodable, Identifiable, Equatable {
        var id: Int
        var branch: Branch
    }

    private func makeRecords() throws -> [Record] {
        [
            try Flat.record("Root/1", ["id": .int(1), "branch": Flat.reference("Branch/1")]),
            try Flat.record(
                "Branch/1", ["id": .int(1), "leaves": .map(["k": Flat.references(["Leaf/1", "Leaf/2"])])]),
            try Flat.record("Leaf/1", ["id": .int(1)]),
        ]
    }

    private func expectDangling(_ error: RecordError?) throws {
        guard error?.code == .danglingReference, let target = error?.recordID, let place = error?.context else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(target.description == "Leaf/2")
        #expect(place.record == (try Record.ID("Branch/1")))
        #expect(place.field == "leaves")
        #expect(place.keys == ["branch", "leaves", "k", "Index 1"])
        #expect(place.steps == ["Root/1.branch", "Branch/1.leaves.k[1]"])
        #expect(
            error?.description == "there is no record Leaf/2, which is referred to at 'branch.leaves.k[1]' "
                + "in record Branch/1, field 'leaves' (Root/1 .branch → Branch/1)")
    }

    @Test func missingTargetInAGraphIsAnErrorThatTellsAll() throws {
        let graph = try RecordGraph(makeRecords())
        let error = #expect(throws: RecordError.self) {
            try RecordDecoder().decode(Root.self, from: graph, root: Record.ID("Root/1"))
        }
        try expectDangling(error)
    }

    @Test func missingTargetInADatabaseIsAskedForOnceAndAnErrorThatTellsAll() async throws {
        let database = try await CountingDatabase(holding: makeRecords())
        for _ in 1...2 {
            let error = await #expect(throws: RecordError.self) {
                try await RecordDecoder().decode(Root.self, named: "1", in: database)
            }
            try expectDangling(error)
            #expect(database.asked == ["Root/1", "Branch/1", "Leaf/1", "Leaf/2"])
            database.forgetCalls()
        }
    }

    @Test func missingTargetOfAnOptionalIsAnErrorByDefault() throws {
        struct Holder: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf?
        }
        let graph = try RecordGraph([Flat.record("Holder/1", ["id": .int(1), "leaf": Flat.reference("Leaf/9")])])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Holder.self, from: graph) }
        guard error?.code == .danglingReference, let target = error?.recordID, let place = error?.context else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(target.description == "Leaf/9")
        #expect(place.steps == ["Holder/1.leaf"])
    }
}
