import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CycleTests {
    final class Person: RecordCodable, Identifiable {
        let id: String
        var friend: Person?
        var family: [Person] = []
        init(id: String) { self.id = id }
    }

    private func referenceCycle<Root: RecordDecodable>(
        decoding type: Root.Type, _ id: String, from records: [Record]
    ) throws -> (ring: [String], place: RecordContext)? {
        let graph = try RecordGraph(records)
        let id = try Record.ID(id)
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(type, from: graph, root: id) }
        guard error?.code == .referenceCycle, let ring = error?.cycle, let place = error?.context else { return nil }
        return (ring.map { $0.path.isEmpty ? "\($0.record)" : "\($0.record).\($0.path)" }, place)
    }

    @Test func instanceThatPointsToItselfIsOneRecord() throws {
        let person = Person(id: "a")
        person.friend = person
        defer { person.friend = nil }
        let graph = try RecordEncoder.allowingCycles.encode(person)
        #expect(graph.map(\.id.description) == ["Person/a"])
        #expect(graph[0]["friend"] == (try Flat.reference("Person/a")))
    }

    @Test func ringOfInstancesIsEncodedOnce() throws {
        let (one, two, three) = (Person(id: "a"), Person(id: "b"), Person(id: "c"))
        (one.friend, two.family, three.friend) = (two, [three, one], one)
        defer { one.friend = nil }
        let graph = try RecordEncoder.allowingCycles.encode(one)
        #expect(graph.map(\.id.description) == ["Person/c", "Person/b", "Person/a"])
        #expect(graph.roots.map(\.description) == ["Person/a"])
    }

    @Test func recordThatContainsItselfIsRefusedWithItsRing() throws {
        let record = try Flat.record(
            "Person/a", ["id": .string("a"), "family": .list([]), "friend": Flat.reference("Person/a")])
        let cycle = try #require(try referenceCycle(decoding: Person.self, "Person/a", from: [record]))
        #expect(cycle.ring == ["Person/a.friend", "Person/a"])
        #expect(cycle.place.keys == ["friend"])
        #expect(cycle.place.record == record.id)
        #expect(cycle.place.field == "friend")
    }

    @Test func ringBehindTheRootIsRefusedWithoutTheWayThere() throws {
        let records = [
            try Flat.record(
                "Person/r", ["id": .string("r"), "family": .list([]), "friend": Flat.reference("Person/a")]),
            try Flat.record("Person/a", ["id": .string("a"), "family": Flat.references(["Person/x", "Person/b"])]),
            try Flat.record(
                "Person/b", ["id": .string("b"), "family": .list([]), "friend": Flat.reference("Person/a")]),
            try Flat.record("Person/x", ["id": .string("x"), "family": .list([])]),
        ]
        let cycle = try #require(try referenceCycle(decoding: Person.self, "Person/r", from: records))
        #expect(cycle.ring == ["Person/a.family[1]", "Person/b.friend", "Person/a"])
        #expect(cycle.place.keys == ["friend", "family", "Index 1", "friend"])
        #expect(cycle.place.steps == ["Person/r.friend", "Person/a.family[1]", "Person/b.friend"])
    }

    struct Tag: RecordCodable, Identifiable {
        var id: Int
        var parts: [String: [Tag]]
    }

    @Test func ringOfStructsIsRefused() throws {
        let records = [
            try Flat.record("Tag/1", ["id": .int(1), "parts": .map(["k": Flat.references(["Tag/2"])])]),
            try Flat.record("Tag/2", ["id": .int(2), "parts": .map(["l": Flat.references(["Tag/1"])])]),
        ]
        let cycle = try #require(try referenceCycle(decoding: Tag.self, "Tag/2", from: records))
        #expect(cycle.ring == ["Tag/2.parts.l[0]", "Tag/1.parts.k[0]", "Tag/2"])
    }

    @Test func ringInADatabaseIsFetchedOnceAndRefused() async throws {
        let (one, two) = (Person(id: "a"), Person(id: "b"))
        (one.friend, two.friend) = (two, one)
        let graph = try RecordEncoder.allowingCycles.encode(one)
        one.friend = nil
        let database = try await CountingDatabase(holding: graph)
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Person.self, named: "a", in: database)
        }
        guard error?.code == .referenceCycle, let ring = error?.cycle else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(ring.map(\.record.description) == ["Person/a", "Person/b", "Person/a"])
        #expect(ring.map(\.path) == ["friend", "friend", ""])
        #expect(database.asked == ["Person/a", "Person/b"])
        #expect(
            error?.description == "records contain each other: Person/a .friend → Person/b .friend → Person/a: "
                + "make 'friend' of Person a RecordLink, at 'friend.friend' in record Person/b, field 'friend' (Person/a .friend → Person/b)"
        )
    }

    @Test func endlessStructureEndsAtTheDepthLimit() throws {
        struct Endless: RecordEncodable, Identifiable {
            var id = 0
            enum CodingKeys: CodingKey { case next }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(Endless(id: id + 1), forKey: .next)
            }
        }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(Endless()) }
        guard error?.code == .depthLimitExceeded, error?.limit == 1_000, let place = error?.context else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.codingPath.count == 1_000)
        #expect(place.record == (try Record.ID("Endless/999")))
    }
}
