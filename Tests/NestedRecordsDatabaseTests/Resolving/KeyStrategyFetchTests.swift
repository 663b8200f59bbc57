import TestSupport
import Testing

@testable import NestedRecords

@Suite(.timeLimit(.minutes(60))) struct KeyStrategyFetchTests {
    struct Image: RecordCodable, Identifiable, Equatable { var id: Int }
    struct School: RecordCodable, Identifiable, Equatable {
        var id: Int
        var coverImage: Image
    }
    struct Person: RecordCodable, Identifiable, Equatable {
        var id: Int
        var homeSchool: School
        var imageURL: Image
        var URLImage: Image?
        var plain: Image?
        var image2Big: Image?
        var _hidden: Image?
        var aVeryLongNameOfAPropertyThatHasMoreThanEightWords: Image?
        var allHTMLImagesByURL: [String: [Image]]
    }

    private let person = Person(
        id: 1, homeSchool: School(id: 1, coverImage: Image(id: 1)), imageURL: Image(id: 2), URLImage: Image(id: 3),
        plain: Image(id: 4), image2Big: Image(id: 5), _hidden: Image(id: 6),
        aVeryLongNameOfAPropertyThatHasMoreThanEightWords: Image(id: 7), allHTMLImagesByURL: ["aKey": [Image(id: 8)]])

    @Test(arguments: [
        KeyStrategy.unchanged, .snakeCase, .custom { $0.uppercased() }, .custom { String($0.reversed()) },
        .custom { $0 },
    ])
    func everyStrategyFetchesEachRecordOnce(strategy: KeyStrategy) async throws {
        let (encoder, decoder) = coders(keys: strategy)
        let graph = try encoder.encode(person)
        #expect(try decoder.decode(Person.self, from: graph) == person)
        let database = try await CountingDatabase(holding: graph)
        let id = try Record.ID("Person/1")
        _ = try await decoder.decode(Person.self, from: id, in: database)
        #expect(database.asked.count == graph.count)
        #expect(Set(database.asked).count == graph.count)
        let second = try await decoder.resolve(Person.self, from: id, in: database)
        #expect(second.value == person && second.callCount == 3 && second.passCount == 1)
    }

    @Test func snakeCaseTypesAskOneCallPerLevelFromTheFirstTimeOn() async throws {
        struct Deep: RecordCodable, Identifiable, Equatable {
            var id: Int
            var homeSchool: School?
            var imageURL: Image?
        }
        let (encoder, decoder) = coders(keys: .snakeCase)
        let deep = Deep(id: 1, homeSchool: School(id: 1, coverImage: Image(id: 1)), imageURL: Image(id: 2))
        let database = try await CountingDatabase(holding: try encoder.encode(deep))
        let first = try await decoder.resolve(Deep.self, from: Record.ID("Deep/1"), in: database)
        #expect(first.value == deep && first.callCount == 3)
        #expect(database.sortedCalls == [["Deep/1"], ["Image/2", "School/1"], ["Image/1"]])
    }

    @Test func errorsNameTheFieldAsItIsStored() async throws {
        let (encoder, decoder) = coders(keys: .snakeCase)
        let graph = try encoder.encode(person)
        let database = try await CountingDatabase(holding: graph.filter { $0.id.type != "School" })
        let error = await #expect(throws: RecordError.self) {
            try await decoder.decode(Person.self, named: "1", in: database)
        }
        #expect(error?.code == .danglingReference && error?.recordID?.description == "School/1")
        #expect(error?.context.keys == ["homeSchool"] && error?.context.field == "home_school")
    }
}
