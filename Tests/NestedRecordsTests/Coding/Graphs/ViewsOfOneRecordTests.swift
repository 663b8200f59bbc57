import NestedRecords
import TestSupport
import Testing

/// Two Swift types that read records of one type.
@Suite(.timeLimit(.minutes(60))) struct ViewsOfOneRecordTests {
    struct Person: RecordCodable, Identifiable, Equatable {
        var id: Int
        var name: String
        var age: Int
        var summary: PersonSummary?
        var friends: [PersonSummary]?
    }

    struct PersonSummary: RecordCodable, Identifiable, Equatable {
        static let recordType = "Person"
        var id: Int
        var name: String
    }

    struct Team: RecordCodable, Identifiable, Equatable {
        var id: Int
        var leader: Person
        var members: [PersonSummary]
    }

    private func makePerson(_ id: Int, _ more: Record.Fields = [:]) throws -> Record {
        let fields: Record.Fields = ["id": .int(Int64(id)), "name": .string("p\(id)"), "age": .int(30)]
        return try Flat.record(
            "Person/\(id)", Record.Fields((fields.map { $0 } + more.map { $0 }).map { ($0.0, $0.1) }))
    }

    @Test func oneRecordReadsAsBothTypes() throws {
        let team = try Flat.record(
            "Team/1",
            [
                "id": .int(1), "leader": Flat.reference("Person/1"),
                "members": Flat.references(["Person/2", "Person/1"]),
            ])
        let graph = try RecordGraph([team, makePerson(1), makePerson(2)])
        let members = [PersonSummary(id: 2, name: "p2"), PersonSummary(id: 1, name: "p1")]
        let expected = Team(id: 1, leader: Person(id: 1, name: "p1", age: 30), members: members)
        #expect(try RecordDecoder().decode(Team.self, from: graph) == expected)
    }

    @Test func summaryInsideItsOwnPersonIsNotACycle() async throws {
        let record = try makePerson(
            1, ["summary": Flat.reference("Person/1"), "friends": Flat.references(["Person/1", "Person/1"])])
        let summary = PersonSummary(id: 1, name: "p1")
        let expected = Person(id: 1, name: "p1", age: 30, summary: summary, friends: [summary, summary])
        #expect(try RecordDecoder().decode(Person.self, from: try RecordGraph([record])) == expected)
        let database = try await CountingDatabase(holding: [record])
        #expect(try await RecordDecoder().decode(Person.self, named: "1", in: database) == expected)
        #expect(database.asked == ["Person/1"])
    }

    final class Whole: RecordDecodable, Identifiable {
        static let recordType = "Person"
        let id: Int
        let part: Part?
    }

    final class Part: RecordDecodable, Identifiable {
        static let recordType = "Person"
        let id: Int
        let whole: Whole?
    }

    @Test func twoTypesOverOneRecordThatContainEachOtherAreACycle() throws {
        let record = try Flat.record(
            "Person/1", ["id": .int(1), "part": Flat.reference("Person/1"), "whole": Flat.reference("Person/1")])
        let graph = try RecordGraph([record])
        let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Whole.self, from: graph) }
        #expect(error?.code == .referenceCycle)
        #expect(error?.context.steps == ["Person/1.part", "Person/1.whole"])
        #expect(error.map { $0.cycle.count > 1 && $0.cycle.allSatisfy { $0.record == record.id } } == true)
    }

    struct Both: RecordDecodable, Identifiable {
        var id: Int
        var one: Whole
        var two: Part
        var again: Whole
        var twoAgain: Part
    }

    @Test func eachTypeHasItsOwnSharedInstance() throws {
        let target = try Flat.reference("Person/1")
        let root = try Flat.record(
            "Both/1", ["id": .int(1), "one": target, "two": target, "again": target, "twoAgain": target])
        let graph = try RecordGraph([root, Flat.record("Person/1", ["id": .int(1)])])
        let both = try RecordDecoder().decode(Both.self, from: graph)
        #expect(both.one === both.again)
        #expect(both.two === both.twoAgain)
    }

    @Test func viewsWithOtherFieldsConflictWhenEncoded() throws {
        let leader = Person(id: 1, name: "p1", age: 30)
        let team = Team(id: 1, leader: leader, members: [PersonSummary(id: 1, name: "p1")])
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(team) }
        #expect(error?.code == .conflict && error?.field == "age")
        #expect(error?.recordID?.description == "Person/1")
        #expect(error?.firstPath.map(\.stringValue) == ["leader"])
        #expect(error?.secondPath.map(\.stringValue) == ["members", "Index 0"])
    }

    @Test func twoRecordTypesMayUseOneName() async throws {
        struct Book: RecordCodable, Identifiable, Equatable {
            var id: Int
            var title: String
            var author: Person
        }
        let book = Book(id: 1, title: "b", author: Person(id: 1, name: "p", age: 2))
        let graph = try RecordEncoder().encode(book)
        #expect(graph.map(\.id.description) == ["Person/1", "Book/1"])
        let database = try await CountingDatabase(holding: graph)
        #expect(try await RecordDecoder().decode(Book.self, named: "1", in: database) == book)
        #expect(database.asked == ["Book/1", "Person/1"])
    }
}
