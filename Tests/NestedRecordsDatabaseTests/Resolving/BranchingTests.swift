import TestSupport
import Testing

@testable import NestedRecords

/// Types of records that refer to further ones and stand side by side.
@Suite(.timeLimit(.minutes(60))) struct BranchingTests {
    struct Pet: RecordCodable, Identifiable, Equatable { var id: Int }
    struct Shelf: RecordCodable, Identifiable, Equatable { var id: Int }
    struct Person: RecordCodable, Identifiable, Equatable {
        var id: Int
        var pets: [Pet]
    }
    struct Library: RecordCodable, Identifiable, Equatable {
        var id: Int
        var shelves: [Shelf]
    }
    struct School: RecordCodable, Identifiable, Equatable {
        var id: Int
        var director: Person
        var library: Library

        static let example = School(
            id: 1, director: Person(id: 1, pets: [Pet(id: 1), Pet(id: 2)]),
            library: Library(id: 1, shelves: [Shelf(id: 1), Shelf(id: 2)]))
    }

    @Test func branchesCostNoMoreCallsThanLevels() async throws {
        let database = try await CountingDatabase(holding: try RecordEncoder().encode(School.example))
        let first = try await RecordDecoder().resolve(School.self, from: Record.ID("School/1"), in: database)
        #expect(first.value == School.example)
        #expect(first.callCount == 3)
        #expect(first.passCount == 1)
        #expect(Set(database.asked).count == database.asked.count)
        database.forgetCalls()
        let second = try await RecordDecoder().resolve(School.self, from: Record.ID("School/1"), in: database)
        #expect(second.value == School.example)
        #expect(second.callCount == 3)
        #expect(second.passCount == 1)
        #expect(
            database.sortedCalls == [
                ["School/1"], ["Library/1", "Person/1"], ["Pet/1", "Pet/2", "Shelf/1", "Shelf/2"],
            ])
    }

    @Test func decodingsWithACustomStrategyTakeOneCallPerLevel() async throws {
        let (encoder, decoder) = coders(keys: .custom { "x_" + $0.uppercased() })
        let database = try await CountingDatabase(holding: try encoder.encode(School.example))
        let first = try await decoder.resolve(School.self, from: Record.ID("School/1"), in: database)
        #expect(first.value == School.example)
        #expect(first.callCount == 3)
        #expect(Set(database.asked).count == 7)
        #expect(database.asked.count == 7)
        let second = try await decoder.resolve(School.self, from: Record.ID("School/1"), in: database)
        #expect(second.value == School.example)
        #expect(second.callCount == 3)
        #expect(second.passCount == 1)
    }
}
