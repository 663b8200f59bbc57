import NestedRecords
import Testing

/// Two properties must never share a field.
@Suite struct KeyCollisionTests {
    struct Colliding: RecordCodable, Equatable {
        var recordName: String { "colliding" }
        var aB: Int?
        var a_b: Int?
    }

    private var encoder: RecordEncoder {
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = .snakeCase
        return encoder
    }

    static let pairs: [[Int?]] = [[1, 2], [1, 1], [1, nil], [nil, 1]]

    @Test(arguments: pairs)
    func twoPropertiesWithOneFieldAreRefusedOrComeBack(pair: [Int?]) throws {
        let value = Colliding(aB: pair[0], a_b: pair[1])
        let graph: RecordGraph
        do {
            graph = try encoder.encode(value)
        } catch let error as RecordError where error.code == .invalidKey {
            let key = try #require(error.key)
            let place = error.context
            #expect(key == "a_b")
            #expect(place.record?.description == "Colliding/colliding")
            #expect(place.field == "a_b")
            return
        }
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = .snakeCase
        #expect(try decoder.decode(Colliding.self, from: graph) == value)
    }

    @Test func collisionInAnEmbeddedObjectIsRefused() throws {
        struct Inner: Codable, Equatable {
            var aB = 1
            var a_b = 2
        }
        let error = try #require(throws: RecordError.self) { try encoder.encode(Holder([Inner()])) }
        #expect(error.code == .invalidKey)
        #expect(error.key == "a_b")
        #expect(error.reason == "it and 'aB' map to the same field 'a_b'")
        #expect(error.context.codingPath.map(\.stringValue) == ["value", "Index 0", "a_b"])
        #expect(error.context.field == "value")
    }

    @Test func strategyThatGivesNoNameIsRefused() throws {
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = .custom { _ in "" }
        let error = try #require(throws: RecordError.self) { try encoder.encode(Holder(1)) }
        #expect(error.code == .invalidKey && error.key == "value")
        #expect(error.context.record?.description == "Holder/holder")
    }
}
