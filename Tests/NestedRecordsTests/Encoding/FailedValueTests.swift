import NestedRecords
import Testing

/// What is left of a value that threw half-way.
@Suite struct FailedValueTests {
    struct Failure: Error {}

    enum CodingKeys: CodingKey { case a, b }

    final class Shelf {
        var write: (() throws -> Void)?
    }

    enum Keeps: CaseIterable { case keyed, unkeyed, superEncoder }

    struct Failing: Encodable {
        var keeps: Keeps
        var shelf: Shelf

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch keeps {
            case .keyed:
                var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .a)
                shelf.write = { try nested.encode("late", forKey: .b) }
            case .unkeyed:
                var nested = container.nestedUnkeyedContainer(forKey: .a)
                shelf.write = { try nested.encode("late") }
            case .superEncoder:
                let base = container.superEncoder()
                shelf.write = { try "late".encode(to: base) }
            }
            throw Failure()
        }
    }

    struct Root<Bad: Encodable>: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var bad: Bad

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode(bad, forKey: .a)
            try container.encode(1, forKey: .b)
        }
    }

    @Test(arguments: Keeps.allCases)
    func containersOfAFailedValueRefuseWrites(keeps: Keeps) throws {
        let shelf = Shelf()
        let graph = try RecordEncoder().encode(Root(bad: Failing(keeps: keeps, shelf: shelf)))
        #expect(graph.map(\.fields) == [["b": .int(1)]])
        let write = try #require(shelf.write)
        #expect(throws: EncodingError.self) { try write() }
    }

    final class Node: RecordEncodable, Identifiable {
        let id = 1

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .a)
            try nested.encode(1, forKey: .a)
            throw Failure()
        }
    }

    @Test func failedCallKeepsNothingAlive() {
        weak var node: Node?
        do {
            let strong = Node()
            node = strong
            #expect(throws: EncodingError.self) { try RecordEncoder().encode(strong) }
        }
        #expect(node == nil)
    }

    struct Leaf: RecordCodable, Identifiable { var id: Int }

    struct LeafThenFailure: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(Leaf(id: 1))
            throw Failure()
        }
    }

    @Test func everyRecordOfAGraphIsReachableAlthoughAValueFailed() throws {
        let graph: RecordGraph
        do {
            graph = try RecordEncoder().encode(Root(bad: LeafThenFailure()))
        } catch is EncodingError {
            return
        }
        #expect(graph.map(\.id.description) == ["Root/root"])
    }

    struct Part: RecordEncodable {
        static let recordType = "Part"
        var recordName: String { "part" }
        var number: Int
        var isInner = false

        struct GivenUp: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(Part(number: 2, isInner: true))
                throw Failure()
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if !isInner { try? container.encode(GivenUp(), forKey: .a) }
            try container.encode(number, forKey: .b)
        }
    }

    @Test func copyOfARecordInAValueThatWasGivenUpIsNotCompared() throws {
        #expect(try RecordEncoder().encode(Part(number: 1)).first?["b"] == 1)
    }
}
