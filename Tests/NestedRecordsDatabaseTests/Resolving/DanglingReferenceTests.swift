import TestSupport
import Testing

@testable import NestedRecords

@Suite(.timeLimit(.minutes(60))) struct DanglingReferenceTests {
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

    @Test func referenceInAnotherSpellingIsReportedWithTheSpellingOfItsType() async throws {
        let database = InMemoryRecordDatabase()
        try await database.commit(
            RecordBatch(saving: [
                Flat.record("Branch/1", ["id": .int(1), "leaves": .map(["k": Flat.references(["Leaf/02"])])]),
                Flat.record("Leaf/2", ["id": .int(2)]),
            ]))
        let error = await #expect(throws: RecordError.self) {
            try await database.values.fetch(Branch.self, named: 1)
        }
        #expect(error?.code == .danglingReference)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("there is no record Leaf/02, which is referred to at 'leaves.k[0]'"), "\(text)")
        #expect(text.hasSuffix(": Leaf spells the name '2': store the reference in this spelling"), "\(text)")
    }

    private func expectDangling(_ error: RecordError?) throws {
        #expect(error?.code == .danglingReference && error?.recordID?.description == "Leaf/2")
        #expect(error?.context.record == (try Record.ID("Branch/1")) && error?.context.field == "leaves")
        #expect(error?.context.keys == ["branch", "leaves", "k", "Index 1"])
        #expect(error?.context.steps == ["Root/1.branch", "Branch/1.leaves.k[1]"])
    }

    @Test func missingTargetIsAFullErrorAndIsAskedForOnce() async throws {
        let id = try Record.ID("Root/1")
        try expectDangling(
            #expect(throws: RecordError.self) {
                try RecordDecoder().decode(Root.self, from: RecordGraph(makeRecords()), root: id)
            })
        let database = try await CountingDatabase(holding: makeRecords())
        for _ in 1...2 {
            let error = await #expect(throws: RecordError.self) {
                try await RecordDecoder().decode(Root.self, from: id, in: database)
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
        #expect(error?.code == .danglingReference && error?.recordID?.description == "Leaf/9")
        #expect(error?.context.steps == ["Holder/1.leaf"])
    }
}

/// The policy that leaves dangling references out.
@Suite(.timeLimit(.minutes(60))) struct OmittedReferenceTests {
    struct Leaf: RecordCodable, Identifiable, Hashable { var id: Int }

    struct Root: RecordDecodable, Identifiable, Equatable {
        var id: Int
        var one: Leaf?
        var list: [Leaf]?
        var rows: [[Leaf]]?
        var holes: [Leaf?]?
        var set: Set<Leaf>?
        var byName: [String: Leaf]?
        var listsByName: [String: [Leaf]]?
    }

    private var decoder: RecordDecoder {
        var decoder = RecordDecoder()
        decoder.coding.omitsDanglingReferences = true
        return decoder
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var field: String
        var value: @Sendable () throws -> Record.Value
        var expected: Root
        var droppedKeys: [[String]]
        var testDescription: String { field }
    }

    static let cases = [
        Case(field: "one", value: { try Flat.reference("Leaf/9") }, expected: Root(id: 1), droppedKeys: [["one"]]),
        Case(
            field: "list", value: { try Flat.references(["Leaf/9", "Leaf/1", "Leaf/9", "Leaf/2"]) },
            expected: Root(id: 1, list: [Leaf(id: 1), Leaf(id: 2)]),
            droppedKeys: [["list", "Index 0"], ["list", "Index 2"]]),
        Case(
            field: "rows", value: { .list([try Flat.references(["Leaf/9"]), try Flat.references(["Leaf/1"])]) },
            expected: Root(id: 1, rows: [[], [Leaf(id: 1)]]), droppedKeys: [["rows", "Index 0", "Index 0"]]),
        Case(
            field: "holes", value: { .list([try Flat.reference("Leaf/9"), .null, try Flat.reference("Leaf/1")]) },
            expected: Root(id: 1, holes: [nil, nil, Leaf(id: 1)]), droppedKeys: [["holes", "Index 0"]]),
        Case(
            field: "set", value: { try Flat.references(["Leaf/1", "Leaf/9", "Leaf/2"]) },
            expected: Root(id: 1, set: [Leaf(id: 1), Leaf(id: 2)]), droppedKeys: [["set", "Index 1"]]),
        Case(
            field: "byName", value: { .map(["a": try Flat.reference("Leaf/9"), "b": try Flat.reference("Leaf/1")]) },
            expected: Root(id: 1, byName: ["b": Leaf(id: 1)]), droppedKeys: [["byName", "a"]]),
        Case(
            field: "listsByName", value: { .map(["a": try Flat.references(["Leaf/9"])]) },
            expected: Root(id: 1, listsByName: ["a": []]), droppedKeys: [["listsByName", "a", "Index 0"]]),
    ]

    private func makeRecords(_ field: String, _ value: Record.Value) throws -> [Record] {
        [
            try Flat.record("Root/1", ["id": .int(1), field: value]), try Flat.record("Leaf/1", ["id": .int(1)]),
            try Flat.record("Leaf/2", ["id": .int(2)]),
        ]
    }

    private func expect(_ dropped: [DanglingReference], at keys: [[String]]) throws {
        #expect(dropped.map(\.context.keys) == keys)
        for reference in dropped {
            #expect(try reference.target.description == "Leaf/9" && reference.context.record == Record.ID("Root/1"))
            #expect(reference.context.field == reference.context.keys.first)
        }
    }

    @Test(arguments: cases) func danglingReferencesAreLeftOutAndReported(_ example: Case) async throws {
        let records = try makeRecords(example.field, example.value())
        let id = try Record.ID("Root/1")
        let resolution = try decoder.resolve(Root.self, from: RecordGraph(records), root: id)
        #expect(resolution.value == example.expected)
        try expect(resolution.dropped, at: example.droppedKeys)
        let database = try await CountingDatabase(holding: records)
        for _ in 1...2 {
            let resolution = try await decoder.resolve(Root.self, from: id, in: database)
            #expect(resolution.value == example.expected)
            try expect(resolution.dropped, at: example.droppedKeys)
            #expect(database.asked.count { $0 == "Leaf/9" } == 1)
            database.forgetCalls()
        }
    }

    private func expectDangling<Model: RecordDecodable>(_: Model.Type, _ value: Record.Value, keys: [String]) throws {
        let record = try Flat.record("\(Model.recordType)/1", ["id": .int(1), "leaf": value])
        let graph = try RecordGraph([record])
        let error = #expect(throws: RecordError.self) { try decoder.decode(Model.self, from: graph) }
        #expect(error?.code == .danglingReference && error?.recordID?.description == "Leaf/9")
        #expect(error?.context.keys == keys)
    }

    @Test func requiredReferenceThatDanglesIsAnError() throws {
        struct Strict: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf
        }
        try expectDangling(Strict.self, Flat.reference("Leaf/9"), keys: ["leaf"])
    }

    @Test func requiredReferenceInAnEmbeddedValueThatDanglesIsAnError() throws {
        struct Box: Decodable { var inner: Leaf }
        struct Strict: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Box?
        }
        try expectDangling(Strict.self, .map(["inner": Flat.reference("Leaf/9")]), keys: ["leaf", "inner"])
    }

    @Test func requiredPartOfADroppableRecordIsAnError() throws {
        struct Middle: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf
        }
        struct Outer: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Middle?
        }
        let graph = try RecordGraph([
            Flat.record("Outer/1", ["id": .int(1), "leaf": Flat.reference("Middle/1")]),
            Flat.record("Middle/1", ["id": .int(1), "leaf": Flat.reference("Leaf/9")]),
        ])
        let error = #expect(throws: RecordError.self) { try decoder.decode(Outer.self, from: graph) }
        #expect(error?.code == .danglingReference && error?.context.steps == ["Outer/1.leaf", "Middle/1.leaf"])
    }

    // However often a record is met, the reference in it is one reference.
    @Test func danglingReferenceOfASharedRecordIsReportedOnce() throws {
        struct Middle: RecordDecodable, Identifiable {
            var id: Int
            var leaf: Leaf?
        }
        struct Outer: RecordDecodable, Identifiable {
            var id: Int
            var middles: [Middle]
        }
        let graph = try RecordGraph([
            Flat.record("Outer/1", ["id": .int(1), "middles": Flat.references(["Middle/1", "Middle/1", "Middle/1"])]),
            Flat.record("Middle/1", ["id": .int(1), "leaf": Flat.reference("Leaf/9")]),
        ])
        let resolution = try decoder.resolve(Outer.self, from: graph)
        #expect(resolution.value.middles.count == 3)
        #expect(resolution.dropped.map(\.context.steps) == [["Outer/1.middles[0]", "Middle/1.leaf"]])
    }

    @Test func nothingIsDroppedWhereNothingDangles() throws {
        let graph = try RecordGraph(makeRecords("list", Flat.references(["Leaf/1"])))
        #expect(try decoder.resolve(Root.self, from: graph, root: Record.ID("Root/1")).dropped.isEmpty)
    }
}
