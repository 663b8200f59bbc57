import TestSupport
import Testing

@testable import NestedRecords

/// Databases that fail or answer wrongly.
@Suite(.timeLimit(.minutes(60))) struct FaultyDatabaseTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
    struct Branch: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leaves: [Leaf]
    }
    struct Root: RecordCodable, Identifiable, Equatable {
        var id: Int
        var branches: [Branch]

        static let example = Root(
            id: 1, branches: (1...2).map { Branch(id: $0, leaves: [Leaf(id: $0), Leaf(id: 10 * $0)]) })
    }

    private func error(of database: CountingDatabase) async throws -> RecordError? {
        await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Root.self, named: "1", in: database)
        }
    }

    @Test(arguments: [1, 2, 3]) func errorOfTheDatabaseReachesTheCallerAsItWasThrown(call: Int) async throws {
        let graph = try RecordEncoder().encode(Root.example)
        let database = try await CountingDatabase(holding: graph, failingCall: call)
        await #expect(throws: CountingDatabase.Failure(call: call)) {
            try await RecordDecoder().decode(Root.self, named: "1", in: database)
        }
        await #expect(throws: CountingDatabase.Failure(call: call + 1)) {
            try await CountingDatabase(holding: graph, batchLimit: 1, failingCall: call + 1).values.fetch(
                Root.self, named: "1")
        }
        #expect(database.calls.count == call)
    }

    @Test func decodingWorksAgainAfterAFailure() async throws {
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(Root.example), failingCall: 3)
        await #expect(throws: CountingDatabase.Failure.self) {
            try await RecordDecoder().decode(Root.self, named: "1", in: database)
        }
        #expect(try await RecordDecoder().decode(Root.self, named: "1", in: database) == .example)
    }

    private func expectInvalid(
        _ reason: String, at steps: [String],
        _ change: @escaping @Sendable (_ ids: [Record.ID], _ answer: [Record]) throws -> [Record]
    ) async throws {
        let graph = try RecordEncoder().encode(Root.example)
        let failure = try await error(of: CountingDatabase(holding: graph, alter: change))
        #expect(failure?.code == .invalidResponse && failure?.reason == reason && failure?.context.steps == steps)
    }

    @Test(arguments: ["Leaf/1", "Branch/9", "Other/1"])
    func recordsThatNobodyAskedForAreRefused(surplus: String) async throws {
        let record = try Flat.record(surplus)
        let reason = "it returned \(surplus), which was not requested"
        try await expectInvalid(reason, at: ["Root/1.branches"]) { ids, answer in
            ids.first?.type == "Branch" ? answer + [record] : answer
        }
        // In place of another one, too.
        let asked = try Record.ID("Branch/2")
        try await expectInvalid(reason, at: ["Root/1.branches"]) { _, answer in
            answer.map { $0.id == asked ? record : $0 }
        }
    }

    @Test func recordInsteadOfTheRootIsRefused() async throws {
        let record = try Flat.record("Root/2")
        try await expectInvalid("it returned Root/2, which was not requested", at: []) { _, _ in [record] }
    }

    @Test(arguments: ["Branch/1", "Branch/2"]) func recordThatIsGivenTwiceIsRefused(twice: String) async throws {
        let id = try Record.ID(twice)
        for moves in [{ $0 + $1 }, { $1 + $0 }] as [@Sendable ([Record], [Record]) -> [Record]] {
            try await expectInvalid("it returned \(twice) twice", at: ["Root/1.branches"]) { _, answer in
                moves(answer, answer.filter { $0.id == id })
            }
        }
    }

    @Test(arguments: [[], ["Branch/9"]]) func singleRecordIsNeitherAnotherOneNorThereTwice(_ others: [String])
        async throws
    {
        let others = try others.map { try Flat.record($0) }
        let database = try await CountingDatabase(holding: [Flat.record("Branch/1")]) { _, answer in
            answer + (others.isEmpty ? answer : others)
        }
        let error = await #expect(throws: RecordError.self) { try await database.record(for: Record.ID("Branch/1")) }
        #expect(error?.code == .invalidResponse)
    }

    @Test func answersInAnyOrderGiveTheSameValueAndTheSameCalls() async throws {
        let leaves = (0..<200).map { Leaf(id: $0) }
        let root = Root(
            id: 1, branches: (0..<100).map { Branch(id: $0, leaves: [leaves[2 * $0], leaves[2 * $0 + 1]]) })
        let graph = try RecordEncoder().encode(root)
        var calls: Set<[String]> = []
        for order in [{ $0 }, { $0.reversed() }, { $0.sorted { $0.id < $1.id } }]
            as [@Sendable ([Record]) -> [Record]]
        {
            let database = try await CountingDatabase(holding: graph) { _, answer in order(answer) }
            #expect(try await RecordDecoder().decode(Root.self, named: "1", in: database) == root)
            calls.insert(database.asked)
        }
        #expect(calls.count == 1)
    }

    @Test func answerWithoutSomeRecordsLeavesTheOthersWhereTheyBelong() async throws {
        let graph = try RecordEncoder().encode(Root.example)
        for hidden in ["Leaf/1", "Leaf/10", "Leaf/20"] {
            let database = try await CountingDatabase(holding: graph) { _, answer in
                answer.filter { $0.id.description != hidden }.reversed()
            }
            var decoder = RecordDecoder()
            decoder.coding.omitsDanglingReferences = true
            let value = try await decoder.decode(Root.self, named: "1", in: database)
            var expected = Root.example
            for position in expected.branches.indices {
                expected.branches[position].leaves.removeAll { "Leaf/\($0.id)" == hidden }
            }
            #expect(value == expected)
        }
    }

    @Test func recordThatIsHeldBackIsADanglingReference() async throws {
        let hidden = try Record.ID("Branch/2")
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(Root.example)) { _, answer in
            answer.filter { $0.id != hidden }
        }
        let failure = try await error(of: database)
        #expect(failure?.code == .danglingReference && failure?.recordID == hidden)
        #expect(failure?.context.steps == ["Root/1.branches[1]"])
        #expect(Set(database.asked).count == database.asked.count)
    }

    @Test func databaseThatThrowsForAMissingRecordHasNoAnswer() async throws {
        let id = try Record.ID("Root/1")
        let database = try await CountingDatabase(holding: []) { _, _ in
            throw RecordError(.recordNotFound, recordID: id)
        }
        let error = await #expect(throws: RecordError.self) {
            try await database.values.fetchIfPresent(Root.self, named: "1")?.value
        }
        #expect(error?.code == .invalidResponse)
    }
}
