import NestedRecords
import TestSupport
import Testing

/// Values and records that contain each other.
@Suite struct CycleTests {
    final class Person: RecordCodable, Identifiable {
        let id: String
        var friend: Person?
        var family: [Person] = []
        var home: RecordLink<House>?

        init(_ id: String) { self.id = id }
    }

    final class House: RecordCodable, Identifiable {
        let id: String
        var people: [Person] = []

        init(_ id: String) { self.id = id }
    }

    @Test func cycleOfPropertiesIsRefusedAndNamed() throws {
        let (a, b, c) = (Person("a"), Person("b"), Person("c"))
        (a.friend, b.friend, c.family) = (b, c, [Person("d"), b])
        defer { c.family = [] }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(a) }
        #expect(error?.code == .referenceCycle)
        #expect(error?.ring == ["Person/b.friend", "Person/c.family[1]", "Person/b"])
    }

    @Test func cycleThroughAnObjectThatIsNotARecordIsRefused() throws {
        struct Part: RecordCodable, Identifiable {
            final class Box: Codable { var part: Part? }
            var id: Int
            var box = Box()
        }
        let part = Part(id: 1)
        part.box.part = part
        defer { part.box.part = nil }
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(part) }
        #expect(error?.code == .referenceCycle)
        #expect(error?.cycle.map(\.record.description) == ["Part/1", "Part/1"])
    }

    /// Records whose single value is a reference to the next one.
    @Test(arguments: [1, 2, 3]) func ringOfRecordsThatConsistOfReferencesIsAnError(_ count: Int) throws {
        struct Part: RecordCodable, Identifiable {
            var id: Int
            var name: String
        }
        let records = try (0..<count).map { number in
            let next = try Flat.reference("Part/\((number + 1) % count)")
            return try Record(id: Record.ID("Part/\(number)"), fields: ["$value": next])
        }
        let graph = try RecordGraph(records, roots: [Record.ID("Part/0")])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Part.self, from: graph) }
        #expect(error?.code == .depthLimitExceeded)
    }

    @Test func linkEndsACycle() throws {
        let (a, b, house) = (Person("a"), Person("b"), House("h"))
        house.people = [a, b]
        (a.home, b.home) = (try RecordLink(holding: house), try RecordLink(holding: house))
        defer { house.people = [] }
        for graph in [try RecordEncoder().encode(house), try RecordEncoder().encode(a)] {
            #expect(graph.count == 3)
            #expect(try RecordDecoder().decode(House.self, from: graph, root: Record.ID("House/h")).people.count == 2)
        }
    }

    @Test func cycleAfterALinkIsRefused() throws {
        let (a, b, house) = (Person("a"), Person("b"), House("h"))
        (a.friend, b.friend) = (b, a)
        house.people = [a]
        defer { b.friend = nil }
        let guest = Person("guest")
        guest.home = try RecordLink(holding: house)
        #expect(#expect(throws: RecordError.self) { try RecordEncoder().encode(guest) }?.code == .referenceCycle)
    }

    @Test func instanceThatPointsToItselfIsOneRecordOnRequest() throws {
        let person = Person("a")
        person.friend = person
        defer { person.friend = nil }
        #expect(#expect(throws: RecordError.self) { try RecordEncoder().encode(person) }?.code == .referenceCycle)
        let graph = try RecordEncoder.allowingCycles.encode(person)
        #expect(graph.map(\.id.description) == ["Person/a"])
        #expect(graph[0]["friend"] == (try Flat.reference("Person/a")))
    }

    @Test func ringOfInstancesIsEncodedOnce() throws {
        let (one, two, three) = (Person("a"), Person("b"), Person("c"))
        (one.friend, two.family, three.friend) = (two, [three, one], one)
        defer { one.friend = nil }
        let graph = try RecordEncoder.allowingCycles.encode(one)
        #expect(graph.map(\.id.description) == ["Person/c", "Person/b", "Person/a"])
        #expect(graph.roots.map(\.description) == ["Person/a"])
    }

    private func cycle<Root: RecordDecodable>(
        decoding type: Root.Type, _ id: String, from records: [Record]
    ) throws -> RecordError? {
        let error = #expect(throws: RecordError.self) {
            try RecordDecoder().decode(type, from: RecordGraph(records), root: Record.ID(id))
        }
        #expect(error?.code == .referenceCycle)
        return error
    }

    @Test func recordThatContainsItselfIsRefusedWithItsRing() throws {
        let record = try Flat.record(
            "Person/a", ["id": .string("a"), "family": .list([]), "friend": Flat.reference("Person/a")])
        let error = try cycle(decoding: Person.self, "Person/a", from: [record])
        #expect(error?.ring == ["Person/a.friend", "Person/a"])
        #expect(error?.context.keys == ["friend"])
        #expect(error?.context.record == record.id)
        #expect(error?.context.field == "friend")
    }

    @Test func ringBelowTheRootIsRefusedWithoutTheWayThere() throws {
        let records = [
            try Flat.record(
                "Person/r", ["id": .string("r"), "family": .list([]), "friend": Flat.reference("Person/a")]),
            try Flat.record("Person/a", ["id": .string("a"), "family": Flat.references(["Person/x", "Person/b"])]),
            try Flat.record(
                "Person/b", ["id": .string("b"), "family": .list([]), "friend": Flat.reference("Person/a")]),
            try Flat.record("Person/x", ["id": .string("x"), "family": .list([])]),
        ]
        let error = try cycle(decoding: Person.self, "Person/r", from: records)
        #expect(error?.ring == ["Person/a.family[1]", "Person/b.friend", "Person/a"])
        #expect(error?.context.keys == ["friend", "family", "Index 1", "friend"])
        #expect(error?.context.steps == ["Person/r.friend", "Person/a.family[1]", "Person/b.friend"])
    }

    @Test func ringOfStructsIsRefused() throws {
        struct Tag: RecordCodable, Identifiable {
            var id: Int
            var parts: [String: [Tag]]
        }
        let records = [
            try Flat.record("Tag/1", ["id": .int(1), "parts": .map(["k": Flat.references(["Tag/2"])])]),
            try Flat.record("Tag/2", ["id": .int(2), "parts": .map(["l": Flat.references(["Tag/1"])])]),
        ]
        let error = try cycle(decoding: Tag.self, "Tag/2", from: records)
        #expect(error?.ring == ["Tag/2.parts.l[0]", "Tag/1.parts.k[0]", "Tag/2"])
    }

    @Test func ringInADatabaseIsFetchedOnceAndRefused() async throws {
        let (one, two) = (Person("a"), Person("b"))
        (one.friend, two.friend) = (two, one)
        let graph = try RecordEncoder.allowingCycles.encode(one)
        one.friend = nil
        let database = try await CountingDatabase(holding: graph)
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(Person.self, named: "a", in: database)
        }
        #expect(error?.code == .referenceCycle)
        #expect(error?.ring == ["Person/a.friend", "Person/b.friend", "Person/a"])
        #expect(database.asked == ["Person/a", "Person/b"])
    }

    // Types that go on after an error: whether a ring is one depends on where decoding began.

    struct Failure: Error {}

    struct Strict: RecordDecodable, Identifiable {
        let id: Int
        let careless: Careless
        enum CodingKeys: CodingKey { case id, careless }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            do { careless = try container.decode(Careless.self, forKey: .careless) } catch { throw Failure() }
        }
    }

    struct Careless: RecordDecodable, Identifiable {
        let id: Int
        enum CodingKeys: CodingKey { case id, strict }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            _ = try? container.decode(Strict.self, forKey: .strict)
        }
    }

    struct Root: RecordDecodable {
        static let carelessFirst = CodingUserInfoKey(rawValue: "carelessFirst").unsafelyUnwrapped
        var recordName: String { "root" }
        let strict: Strict
        enum CodingKeys: CodingKey { case strict, careless }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if decoder.userInfo[Self.carelessFirst] as? Bool == true {
                _ = try container.decode(Careless.self, forKey: .careless)
            }
            strict = try container.decode(Strict.self, forKey: .strict)
        }
    }

    @Test(arguments: [false, true])
    func recordThatCanBeDecodedIsDecodedWhateverCameBefore(carelessFirst: Bool) throws {
        let strict = try Flat.reference("Strict/1")
        let careless = try Flat.reference("Careless/1")
        let graph = try RecordGraph(
            [
                Flat.record("Root/root", ["strict": strict, "careless": careless]),
                Flat.record("Strict/1", ["id": .int(1), "careless": careless]),
                Flat.record("Careless/1", ["id": .int(1), "strict": strict]),
            ], roots: [Record.ID("Root/root")])
        var decoder = RecordDecoder()
        decoder.coding.userInfo[Root.carelessFirst] = carelessFirst
        #expect(try decoder.decode(Root.self, from: graph).strict.careless.id == 1)
    }
}

extension RecordError {
    /// The records of a cycle with the way from each to the next.
    fileprivate var ring: [String] { RecordContext(chain: cycle).steps }
}
