import NestedRecords
import TestSupport
import Testing

/// Updates of values that hold other records than were read for them.
@Suite struct UnreadRecordUpdateTests {
    /// Has an owner also where its record names none, and forgets who had it before.
    struct House: RecordCodable, Identifiable {
        var id = 1
        var name = ""
        var owner = Person(id: "nobody", home: School())
        var deputy: Person?
        var former: Pupil?
        var pupil: Pupil?

        enum CodingKeys: CodingKey {
            case id, name, owner, deputy, former, pupil
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            owner = try container.decodeIfPresent(Person.self, forKey: .owner) ?? owner
            deputy = try container.decodeIfPresent(Person.self, forKey: .deputy)
            former = try container.decodeIfPresent(Pupil.self, forKey: .former)
            pupil = try container.decodeIfPresent(Pupil.self, forKey: .pupil)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(name, forKey: .name)
            try container.encode(owner, forKey: .owner)
            try container.encodeIfPresent(deputy, forKey: .deputy)
            try container.encodeIfPresent(pupil, forKey: .pupil)
        }
    }

    struct Person: RecordCodable, Identifiable {
        var id: String
        var home: School
    }

    func makeDatabase() async throws -> InMemoryRecordDatabase {
        let database = InMemoryRecordDatabase()
        try await database.save(Pupil(id: "ann"))
        let house = try Flat.record(
            "House/1", ["id": 1, "name": "a", "former": try Flat.reference("Pupil/ann")])
        _ = try await database.modifyRecords(saving: [house], deleting: [], savePolicy: .automatic)
        return database
    }

    @Test func recordsThatDecodingMadeAreSavedOnlyWhenSomethingPointsToThem() async throws {
        let memory = try await makeDatabase()
        try await memory.update(House.self, named: "1") { $0.name = "b" }
        #expect(try await memory.texts == ["House/1", "Pupil/ann"])
        let value = try await memory.update(House.self, named: "1") { $0.deputy = $0.owner }
        #expect(value.deputy?.home.id == "hilltop")
        #expect(try await memory.texts == ["House/1", "Person/nobody", "Pupil/ann", "School/hilltop"])
        #expect(try await memory.fetch("House/1")["owner"] == nil)
    }

    @Test func recordThatWasReadAndIsTakenInAgainIsNotSentUnlessItChanged() async throws {
        let memory = try await makeDatabase()
        let database = CountingDatabase(memory)
        try await database.update(House.self, named: "1") { $0.pupil = $0.former }
        #expect(database.modifications.map(\.texts) == [["House/1"]])
        #expect(try await memory.fetch("House/1")["pupil"] == Flat.reference("Pupil/ann"))
    }

    @Test func recordThatWasReadAndIsTakenInAgainHasTheVersionThatWasRead() async throws {
        let memory = try await makeDatabase()
        let database = CountingDatabase(memory) { number in
            if number == 1 { try await memory.set("age", of: "Pupil/ann", to: 20) }
        }
        try await database.update(House.self, named: "1") { house in
            house.pupil = house.former
            house.pupil?.age += 1
        }
        #expect(database.modifications.map(\.texts) == [["Pupil/ann", "House/1"], ["Pupil/ann", "House/1"]])
        #expect(try await memory.fetch("Pupil/ann")["age"] == 21)
    }
}
