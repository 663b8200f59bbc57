import NestedRecords
import TestSupport
import Testing

/// Types that catch errors of what they contain: what is left of the failed value.
@Suite struct CaughtErrorTests {
    struct MyError: Error, Equatable { var number = 7 }

    enum Key: CodingKey { case content, after }

    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    /// A list of what can be written.
    struct Lossy: RecordEncodable {
        var recordName: String { "lossy" }
        var contents: [any Encodable & Sendable]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for content in contents { try? container.encode(content) }
        }
    }

    /// Fails after a leaf, which is written elsewhere too.
    struct FailingAfterLeaf: RecordEncodable {
        var recordName: String { "failing" }
        var leaf: Leaf

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(leaf, forKey: .content)
            throw MyError()
        }
    }

    @Test func failedRecordLeavesNothing() throws {
        let graph = try RecordEncoder().encode(
            Lossy(contents: [
                1, FailingAfterLeaf(leaf: Leaf(id: 1)), Leaf(id: 2), FailingAfterLeaf(leaf: Leaf(id: 2)), 3,
            ]))
        #expect(graph.map(\.id.description) == ["Leaf/2", "Lossy/lossy"])
        #expect(graph.last?.fields == ["$value": [1, try Flat.reference("Leaf/2"), 3]])
    }

    @Test func recordThatFailedOnceIsWrittenWhereItDoesNotFail() throws {
        struct Moody: RecordEncodable {
            final class Mood: Sendable { nonisolated(unsafe) var count = 0 }
            var mood = Mood()
            var recordName: String { "moody" }
            func encode(to encoder: any Encoder) throws {
                mood.count += 1
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(Leaf(id: mood.count), forKey: .content)
                if mood.count == 1 { throw MyError() }
            }
        }
        let moody = Moody()
        let graph = try RecordEncoder().encode(Lossy(contents: [moody, moody, Leaf(id: 3)]))
        #expect(graph.map(\.id.description) == ["Leaf/2", "Moody/moody", "Leaf/3", "Lossy/lossy"])
        #expect(graph.roots.map(\.description) == ["Lossy/lossy"])
    }

    @Test func theSameContentThatWasComparedBeforeTheFailureIsComparedAgain() throws {
        struct Pair: RecordEncodable, Identifiable {
            var id = 1
            var leaves: [Leaf2]
            var fails = false
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(leaves, forKey: .content)
                if fails { throw MyError() }
            }
        }
        struct Leaf2: RecordCodable, Identifiable { var id: Int, text: String }
        let (a, b) = (Leaf2(id: 1, text: "a"), Leaf2(id: 1, text: "b"))
        let pairs: [any Encodable & Sendable] = [
            Pair(id: 1, leaves: [a, a, a, a], fails: true), Pair(id: 2, leaves: [b]),
        ]
        #expect(
            try RecordEncoder().encode(Lossy(contents: pairs)).map(\.id.description) == [
                "Leaf2/1", "Pair/2", "Lossy/lossy",
            ])
        let error = try #require(throws: RecordError.self) {
            try RecordEncoder().encode(Lossy(contents: pairs + [a]))
        }
        #expect(error.code == .conflict)
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
                throw MyError()
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if !isInner { try? container.encode(GivenUp(), forKey: .content) }
            try container.encode(number, forKey: .after)
        }
    }

    @Test func copyOfARecordInAValueThatWasGivenUpIsNotCompared() throws {
        #expect(try RecordEncoder().encode(Part(number: 1)).first?["after"] == 1)
    }

    final class Node: RecordEncodable, Identifiable {
        let id = 1

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .content)
            try nested.encode(1, forKey: .content)
            throw MyError()
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

    struct Number: Encodable {
        enum CodingKeys: CodingKey { case large, after }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode(Unstorable(), forKey: .large)
            try? container.encode([Unstorable()], forKey: .large)
            try container.encode(1, forKey: .after)
            var list = container.nestedUnkeyedContainer(forKey: .large)
            try? list.encode(Unstorable())
            try list.encode(2)
            try? list.encode([Unstorable()])
            try list.encode(3)
        }
    }

    @Test func refusedValueLeavesNoHole() throws {
        struct Root: RecordEncodable, Identifiable { var id = 1, number = Number() }
        let record = try RecordEncoder().encode(Root())[0]
        #expect(record["number"] == .map(["after": .int(1), "large": .list([.int(2), .int(3)])]))
    }
}
