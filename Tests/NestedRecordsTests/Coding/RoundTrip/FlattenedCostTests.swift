import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct FlattenedCostTests {
    enum Choice: Codable, Equatable {
        case theFirstChoice(leftHandSide: Int, rightHandSideOfIt: Int)
        case theSecondChoice(Int)
    }

    struct Item: RecordCodable, Identifiable, Equatable {
        var id: Int
        var choiceOfTheUser: Choice
    }

    @Test func snakeCaseKeysOfCasesAreFoundInReasonableTime() throws {
        let items = (1...500).map {
            Item(id: $0, choiceOfTheUser: .theFirstChoice(leftHandSide: $0, rightHandSideOfIt: 2))
        }
        func time(_ keys: KeyStrategy) throws -> Duration {
            let (encoder, decoder) = coders(.flattened(), keys: keys)
            let graph = try encoder.encode(items)
            var decoded: [Item] = []
            let time = try threadTime { decoded = try decoder.decodeAll(Item.self, from: graph) }
            #expect(decoded == items)
            return time
        }
        _ = try time(.unchanged)
        let (plain, snake) = (try time(.unchanged), try time(.snakeCase))
        #expect(snake < plain * 20)
    }

    struct Owner: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
    }

    struct Book: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var cover: String
    }

    struct Shelf: RecordCodable, Identifiable, Equatable {
        @RecordName var id: Int
        var books: [Book]
    }

    @Test func fieldThatNoPropertyReadsIsNotFollowed() async throws {
        let book = try Flat.record("Book/1", ["cover": "x", "cover_owner": Flat.reference("Owner/1")])
        let shelf = try Flat.record("Shelf/1", ["books": Flat.references(["Book/1"])])
        let database = try await CountingDatabase(holding: [book, shelf, Flat.record("Owner/1")])
        let (_, decoder) = coders(.flattened())
        _ = try await decoder.decode(Shelf.self, named: "1", in: database)
        #expect(database.asked == ["Shelf/1", "Book/1"])
    }
}
