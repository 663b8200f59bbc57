import TestSupport
import Testing

@testable import NestedRecords

@Suite(.timeLimit(.minutes(60))) struct RecordLimitTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }
    struct Branch: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leaves: [String: [Leaf]]
    }
    struct Root: RecordCodable, Identifiable, Equatable {
        var id: Int
        var branches: [Branch]
    }

    // One root, two branches and four leaves: seven records.
    private let root = Root(
        id: 1, branches: (1...2).map { Branch(id: $0, leaves: ["k": [Leaf(id: 2 * $0), Leaf(id: 2 * $0 + 1)]]) })

    private func limitError(maximumRecords: Int) async throws -> (place: RecordContext, calls: Int)? {
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(root))
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = maximumRecords
        let error = await #expect(throws: RecordError.self) {
            try await decoder.decode(Root.self, named: "1", in: database)
        }
        guard error?.code == .recordLimitExceeded, error?.limit == maximumRecords, let place = error?.context else {
            return nil
        }
        return (place, database.calls.count)
    }

    @Test func asManyRecordsAsTheLimitAreFetched() async throws {
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(root))
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = 7
        #expect(try await decoder.decode(Root.self, named: "1", in: database) == root)
    }

    @Test(arguments: [5, 6]) func levelBeyondTheLimitIsNotFetchedAndTheErrorNamesTheWayThere(limit: Int) async throws {
        let result = try #require(try await limitError(maximumRecords: limit))
        #expect(result.calls == 2)
        // The record that finds no room is the third or fourth leaf, which the second branch points to.
        #expect(result.place.record == (try Record.ID("Branch/2")) && result.place.field == "leaves")
        #expect(result.place.keys == ["branches", "leaves"])
        #expect(result.place.steps == ["Root/1.branches", "Branch/2.leaves"])
    }

    @Test func limitOfOneStopsAfterTheRoot() async throws {
        let result = try #require(try await limitError(maximumRecords: 1))
        #expect(result.calls == 1 && result.place.steps == ["Root/1.branches"])
    }

    @Test(arguments: [0, -1, Int.min]) func limitBelowOneFetchesNothing(limit: Int) async throws {
        let result = try #require(try await limitError(maximumRecords: limit))
        #expect(result.calls == 0 && result.place.chain.isEmpty)
    }

    @Test func endlessDatabaseEndsAtTheLimit() async throws {
        struct Link: RecordDecodable, Identifiable {
            var id: Int
            var next: [Link]
        }
        let database = try await CountingDatabase(holding: []) { ids, _ in
            try ids.map { id in
                let number = try #require(Int(id.name))
                return try Flat.record(
                    id.description, ["id": .int(Int64(number)), "next": Flat.references(["Link/\(number + 1)"])])
            }
        }
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = 300
        let error = await #expect(throws: RecordError.self) {
            try await decoder.decode(Link.self, named: "0", in: database)
        }
        #expect(error?.code == .recordLimitExceeded && error?.limit == 300)
        #expect(error?.context.record == (try Record.ID("Link/299")))
        #expect(database.calls.count == 300)
    }

    @Test func endlessDatabaseEndsAtTheDepthLimitToo() async throws {
        final class Link: RecordDecodable, Identifiable {
            let id: Int
            let next: Link?
        }
        // Far more than the default depth, so that an endless fetch would end too, but much later.
        let last = 5_000
        let database = try await CountingDatabase(holding: []) { ids, _ in
            try ids.map { id in
                let number = try #require(Int(id.name))
                let next: Record.Value = number < last ? try Flat.reference("Link/\(number + 1)") : .null
                return try Flat.record(id.description, ["id": .int(Int64(number)), "next": next])
            }
        }
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Link.self, named: "0", in: database)
        }
        #expect(error?.code == .depthLimitExceeded && error?.limit == 1_000)
        #expect(database.calls.count < last)
    }

    @Test(arguments: [0, -1, Int.min]) func noRecordsAreWithinEveryLimit(limit: Int) async throws {
        var decoder = RecordDecoder()
        decoder.coding.maximumRecords = limit
        let database = InMemoryRecordDatabase()
        #expect(try await decoder.decode(Leaf.self, from: [Record](), in: database).isEmpty)
        await #expect(throws: RecordError.self) { try await decoder.decode(Leaf.self, named: "1", in: database) }
    }
}
