import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct RecordLinkTests {
    struct School: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var students: [Person]
        var founder: RecordLink<Person>?
    }

    struct Person: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var school: RecordLink<School>
        var friends: [RecordLink<Person>] = []
        var byNickname: [String: RecordLink<Person>] = [:]
        var note: Note?
    }

    struct Note: Codable, Equatable {
        var author: RecordLink<Person>
    }

    static func school() throws -> School {
        let hilltop = try RecordLink<School>(named: "hilltop")
        let bo = try RecordLink<Person>(named: "bo")
        return School(
            id: "hilltop",
            students: [
                Person(id: "ada", school: hilltop, friends: [bo, bo], byNickname: ["b": bo], note: Note(author: bo)),
                Person(id: "bo", school: hilltop),
            ], founder: try RecordLink(named: "cy"))
    }

    @Test func linkIsAReferenceToARecordThatIsElsewhere() throws {
        let graph = try RecordEncoder().encode(Self.school())
        #expect(graph.map(\.id.description) == ["Person/ada", "Person/bo", "School/hilltop"])
        let ada = try #require(try graph[Record.ID("Person/ada")])
        let bo = try Flat.reference("Person/bo", isLink: true)
        #expect(ada["school"] == (try Flat.reference("School/hilltop", isLink: true)))
        #expect(ada["friends"] == .list([bo, bo]))
        #expect(ada["byNickname"] == ["b": bo])
        #expect(ada["note"] == ["author": bo])
    }

    @Test func ringThroughLinksDecodes() async throws {
        let school = try Self.school()
        let graph = try RecordEncoder().encode(school)
        #expect(try RecordDecoder().decode(School.self, from: graph) == school)
        let database = try await CountingDatabase(holding: graph)
        for _ in 1...2 {
            database.forgetCalls()
            #expect(try await database.values.fetch(School.self, named: "hilltop").value == school)
            #expect(database.sortedCalls == [["School/hilltop"], ["Person/ada", "Person/bo"]])
        }
    }

    @Test func targetIsLoadedWhenItIsWanted() async throws {
        let school = try Self.school()
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(school)
        let ada = try await database.values.fetch(Person.self, named: "ada").value
        #expect(try await database.values.fetch(ada.school).value == school)
        #expect(try await database.values.fetchIfPresent(ada.school)?.value == school)
        #expect(ada.school.value == nil)
        let graph = try RecordEncoder().encode(school)
        #expect(try RecordDecoder().decode(Person.self, from: graph, root: ada.friends[0].id) == school.students[1])
    }

    @Test func missingTargetIsAnErrorOrNil() async throws {
        let founder = try #require(try Self.school().founder)
        let database = InMemoryRecordDatabase()
        #expect(try await database.values.fetchIfPresent(founder)?.value == nil)
        let error = await #expect(throws: RecordError.self) { try await database.values.fetch(founder).value }
        #expect(error?.code == .recordNotFound && error?.recordID == founder.id)
    }

    @Test func listOfLinksLoadsInOneResolution() async throws {
        let database = try await CountingDatabase(holding: RecordEncoder().encode(Self.school()))
        let links = try ["bo", "ada", "bo"].map { try RecordLink<Person>(named: $0) }
        let people = try await database.values.fetch(links)
        #expect(people.map(\.id) == ["bo", "ada", "bo"])
        #expect(database.calls.count == 1)
        #expect(try await database.values.fetch([RecordLink<Person>]()).isEmpty)
    }

    @Test func linksAreEqualByTheirIDs() throws {
        let person = try Self.school().students[1]
        let held = try RecordLink(holding: person)
        let bare = try RecordLink<Person>(to: Record.ID("Person/bo"))
        #expect(held == bare)
        #expect(Set([held, bare]).count == 1)
        #expect(held.value == person)
        #expect("\(bare)" == "⇢ Person/bo")
        #expect(try bare != RecordLink(named: "ada"))
    }

    @Test func nameThatNoRecordHasIsRefused() {
        #expect(throws: RecordError.self) { try RecordLink<Person>(named: "") }
    }

    struct Node: RecordCodable, Identifiable, Equatable {
        var id: Int
        var next: RecordLink<Node>?
    }

    @Test func recordsOfAHeldValueJoinTheGraph() async throws {
        let third = Node(id: 3, next: try RecordLink(named: "1"))
        let first = Node(id: 1, next: try RecordLink(holding: Node(id: 2, next: RecordLink(holding: third))))
        let graph = try RecordEncoder().encode(first)
        #expect(graph.map(\.id.description) == ["Node/3", "Node/2", "Node/1"])
        #expect(graph.flatMap(\.references).map(\.isLink) == [true, true, true])
        let database = try await CountingDatabase(holding: graph)
        let loaded = try await database.values.fetch(Node.self, named: "1").value
        #expect(loaded == first)
        #expect(loaded.next?.value == nil)
        #expect(database.asked == ["Node/1"])
        let second = try await database.values.fetch(#require(loaded.next))
        #expect(try await database.values.fetch(#require(second.next)).value == third)
    }

    @Test func heldValueThatDiffersFromTheGraphIsAConflict() throws {
        struct Pair: RecordCodable {
            var recordName: String { "pair" }
            var node: Node
            var link: RecordLink<Node>
        }
        let pair = Pair(node: Node(id: 1), link: try RecordLink(holding: Node(id: 1, next: RecordLink(named: "9"))))
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(pair) }
        #expect(error?.code == .conflict && error?.field == "next")
        #expect(error?.recordID?.description == "Node/1")
        #expect(error?.firstPath.map(\.stringValue) == ["node"])
        #expect(error?.secondPath.map(\.stringValue) == ["link"])
    }

    final class Room: RecordCodable, Identifiable {
        let id: Int
        var doors: [RecordLink<Room>] = []
        init(id: Int) { self.id = id }
    }

    @Test func objectsThatLinkToEachOtherAreEncodedOnce() throws {
        let (hall, attic) = (Room(id: 1), Room(id: 2))
        hall.doors = [try RecordLink(holding: attic), try RecordLink(holding: hall)]
        attic.doors = [try RecordLink(holding: hall)]
        defer { hall.doors = [] }
        let graph = try RecordEncoder().encode(hall)
        #expect(graph.map(\.id.description) == ["Room/2", "Room/1"])
        let decoded = try RecordDecoder().decode(Room.self, from: graph)
        #expect(decoded.doors.map(\.id.name) == ["2", "1"])
    }

    @Test func jsonHasTheTextOfTheID() throws {
        let node = Node(id: 1, next: try RecordLink(named: "2"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(node)
        #expect(String(decoding: data, as: UTF8.self) == #"{"id":1,"next":"Node/2"}"#)
        #expect(try JSONDecoder().decode(Node.self, from: data) == node)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Node.self, from: Data(#"{"id":1,"next":"2"}"#.utf8))
        }
    }

    @Test func valueThatIsNotAReferenceIsRefused() throws {
        let graph = try RecordGraph([Flat.record("Node/1", ["id": 1, "next": "Node/2"])])
        #expect(
            CodingFailure.of { try RecordDecoder().decode(Node.self, from: graph) }
                == CodingFailure(.typeMismatch, "next", "Node/1, field 'next'"))
    }

    @Test func referenceToARecordOfAnotherTypeIsNotALink() throws {
        let graph = try RecordGraph([Flat.record("Node/1", ["id": 1, "next": Flat.reference("Room/2", isLink: true)])])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Node.self, from: graph) }
        #expect(error?.code == .typeMismatch && error?.recordID?.description == "Room/2")
        #expect(error?.context.field == "next")
    }

    @Test func typeThatHandsItsCoderToALinkKeepsIt() throws {
        let record = RecordOf(try RecordLink<Node>(named: "1"))
        let graph = try RecordEncoder().encode(record)
        #expect(graph[0].fields == ["$value": try Flat.reference("Node/1", isLink: true)])
        #expect(try RecordDecoder().decode(type(of: record), from: graph) == record)
    }

    struct OldPerson: RecordCodable, Identifiable {
        static let recordType = "Person"
        @RecordName var id: String
        var school: Inner
    }

    struct Inner: RecordCodable, Identifiable {
        static let recordType = "School"
        @RecordName var id: String
    }

    @Test func nestedReferenceReadsAsALink() throws {
        let graph = try RecordEncoder().encode(OldPerson(id: "ada", school: Inner(id: "hilltop")))
        let person = try RecordDecoder().decode(NewPerson.self, from: graph)
        #expect(person.school.id.description == "School/hilltop")
    }

    struct NewPerson: RecordCodable, Identifiable {
        static let recordType = "Person"
        @RecordName var id: String
        var school: RecordLink<School>
    }

    struct Town: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
    }

    struct House: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var town: RecordLink<Town>
    }

    @Test func savingALinkToAStaleValueDoesNotUndoWhatSomebodyElseSaved() async throws {
        let memory = InMemoryRecordDatabase()
        try await memory.values.overwrite(Town(id: "t", name: "Old"))
        let town = try await memory.values.fetch(Town.self, named: "t").value
        try await memory.values.update(Town.self, named: "t") { $0.name = "New" }
        try await memory.values.overwrite(House(id: "h", town: RecordLink(to: town)))
        #expect(try await memory.values.fetch(Town.self, named: "t").value.name == "New")
    }
}
