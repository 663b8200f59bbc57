import NestedRecords
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct SharedInstancesTests {
    final class Place: RecordCodable, Identifiable {
        let id: String
        init(id: String) { self.id = id }
    }

    final class Person: RecordCodable, Identifiable {
        let id: String
        var home: Place?
        var work: Place?
        var visited: [Place]
        var named: [String: Place]

        init(id: String, at place: Place) {
            self.id = id
            (home, work, visited, named) = (place, place, [place, place], ["favourite": place])
        }
    }

    struct Team: RecordCodable, Identifiable {
        var id: Int
        var members: [Person]
        var base: Place
    }

    private func makeTeam() -> Team {
        let place = Place(id: "here")
        return Team(id: 1, members: [Person(id: "a", at: place), Person(id: "b", at: place)], base: place)
    }

    @Test func sharedInstanceBecomesOneRecord() throws {
        let graph = try RecordEncoder().encode(makeTeam())
        #expect(graph.map(\.id.description) == ["Place/here", "Person/a", "Person/b", "Team/1"])
    }

    @Test func sharedRecordComesBackAsOneInstance() throws {
        let team = try RecordDecoder().decode(Team.self, from: try RecordEncoder().encode(makeTeam()))
        try expectSharing(of: team)
    }

    @Test func sharedRecordFromADatabaseComesBackAsOneInstance() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(makeTeam())
        try expectSharing(of: try await database.values.fetch(Team.self, named: "1").value)
    }

    private func expectSharing(of team: Team) throws {
        for person in team.members {
            #expect(person.home === team.base)
            #expect(person.work === team.base)
            #expect(person.visited.count == 2)
            #expect(person.visited.allSatisfy { $0 === team.base })
            #expect(person.named["favourite"] === team.base)
        }
        #expect(team.members[0] !== team.members[1])
    }

    @Test func rootsDecodedTogetherShareInstances() async throws {
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(makeTeam())
        let ids = [try Record.ID("Person/a"), try Record.ID("Person/b"), try Record.ID("Person/a")]
        let persons = try await RecordDecoder().decode(Person.self, from: ids, in: database)
        #expect(persons[0] === persons[2])
        #expect(persons[0] !== persons[1])
        #expect(persons[0].home === persons[1].home)
    }

    @Test func twoDecodingsShareNothing() throws {
        let graph = try RecordEncoder().encode(makeTeam())
        let first = try RecordDecoder().decode(Team.self, from: graph)
        let second = try RecordDecoder().decode(Team.self, from: graph)
        #expect(first.base !== second.base)
    }

    @Test func twoRootsThatAreOneInstanceAreOneRecord() throws {
        let place = Place(id: "here")
        let graph = try RecordEncoder().encode([place, place])
        #expect(graph.count == 1)
        #expect(graph.roots.map(\.description) == ["Place/here", "Place/here"])
        let places = try RecordDecoder().decodeAll(Place.self, from: graph)
        #expect(places[0] === places[1])
    }
}
