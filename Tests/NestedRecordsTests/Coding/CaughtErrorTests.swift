import Foundation
import NestedRecords
import TestSupport
import Testing

/// Types that catch errors of what they contain: what they see of them, and what is left of the failed value.
@Suite struct CaughtErrorTests {
    struct MyError: Error, Equatable { var number = 7 }

    enum Key: CodingKey { case content, caught, after }

    struct Failing: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws { throw MyError() }
        func encode(to encoder: any Encoder) throws { throw MyError() }
    }

    struct FailingRecord: RecordCodable, Equatable {
        var recordName: String { "failing" }
        init() {}
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: Key.self)
            throw MyError()
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Leaf(id: 1), forKey: .content)
            if encoder.userInfo[.fails] == nil { throw MyError() }
        }
    }

    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    /// Notes what an error is.
    struct Catching<Content: Codable & Equatable>: Codable, Equatable {
        var content: Content?
        var caught = ""

        init(_ content: Content) { self.content = content }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            do {
                content = try container.decode(Content.self, forKey: .content)
            } catch let error as MyError {
                caught = "\(try container.decode(String.self, forKey: .caught)) \(error.number)"
            } catch {
                caught = "\(error)"
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            do {
                try container.encode(content, forKey: .content)
                try container.encode("nothing", forKey: .caught)
            } catch let error as MyError {
                try container.encode("mine \(error.number)", forKey: .caught)
            } catch {
                try container.encode("\(error)", forKey: .caught)
            }
        }
    }

    private func expectCaught<Content: Codable & Equatable>(
        _ content: Content, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let fields = try RecordEncoder().encode(Holder(Catching(content))).last?.fields
        #expect(fields == ["value": ["caught": "mine 7"]], sourceLocation: sourceLocation)
        let json = try JSONEncoder().encode(Catching(content))
        #expect(String(decoding: json, as: UTF8.self) == #"{"caught":"mine 7"}"#, sourceLocation: sourceLocation)
    }

    @Test func encodingErrorsPassUnchanged() throws {
        try expectCaught(Failing())
        try expectCaught([Failing()])
        try expectCaught(["a": [Failing()]])
        try expectCaught(Embedded(before: 1, value: Failing(), after: ""))
        try expectCaught(Nested(Failing()))
        try expectCaught(UnderSuper(Failing()))
        try expectCaught(FailingRecord())
        try expectCaught([FailingRecord()])
        try expectCaught(Holder(FailingRecord()))
        try expectCaught(Embedded(before: 1, value: [FailingRecord()], after: ""))
    }

    @Test func decodingErrorsPassUnchanged() throws {
        let reference = try Flat.reference("FailingRecord/failing")
        func expect<Content: Codable & Equatable>(_: Content.Type, _ stored: Record.Value) throws {
            let holder = try Flat.record("Holder/holder", ["value": ["content": stored, "caught": "mine"]])
            let failing = try Flat.record("FailingRecord/failing", ["value": stored])
            let inner = try Flat.record("RecordOf/value", ["value": reference])
            let graph = try RecordGraph([holder, failing, inner], roots: [holder.id])
            let value = try RecordDecoder().decode(Holder<Catching<Content>>.self, from: graph).value
            #expect(value.content == nil)
            #expect(value.caught == "mine 7")
        }
        try expect(Failing.self, [:])
        try expect([Failing].self, [[:]])
        try expect([String: Failing].self, ["a": [:]])
        try expect(Nested<Failing>.self, ["outer": ["inner": [[:]]]])
        try expect(FailingRecord.self, reference)
        try expect([FailingRecord].self, [reference])
        try expect(RecordOf<Embedding>.self, Flat.reference("RecordOf/value"))
    }

    struct Embedding: Codable, Equatable { var value: FailingRecord }

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

    enum Shape: CaseIterable { case keyed, nested, list, listInList, single, superEncoder, handedOn, record }

    struct HalfWritten: Encodable {
        var shape: Shape

        func encode(to encoder: any Encoder) throws {
            switch shape {
            case .keyed:
                var container = encoder.container(keyedBy: Key.self)
                try container.encode("left over", forKey: .content)
                try container.encode("left over", forKey: .after)
            case .nested:
                var container = encoder.container(keyedBy: Key.self)
                var nested = container.nestedUnkeyedContainer(forKey: .content)
                try nested.encode("left over")
            case .list:
                var container = encoder.unkeyedContainer()
                try container.encode("left over")
            case .listInList:
                var container = encoder.unkeyedContainer()
                var nested = container.nestedContainer(keyedBy: Key.self)
                try nested.encode("left over", forKey: .content)
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode("left over")
            case .superEncoder:
                var container = encoder.container(keyedBy: Key.self)
                try "left over".encode(to: container.superEncoder())
            case .handedOn:
                try [1, 2].encode(to: encoder)
            case .record:
                var container = encoder.unkeyedContainer()
                try container.encode(Leaf(id: 1))
            }
            throw MyError()
        }
    }

    struct Forgiving<Bad: Encodable, Good: Encodable>: RecordEncodable {
        static var recordType: String { "Forgiving" }
        var recordName: String { "root" }
        var bad: Bad
        var good: Good

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try? container.encode(bad, forKey: .caught)
            try container.encode(good, forKey: .content)
            try container.encode([1], forKey: .after)
        }
    }

    @Test(arguments: Shape.allCases) func halfWrittenValueLeavesNothingInTheNextValue(shape: Shape) throws {
        func expect(_ bad: some Encodable, _ good: some Encodable, _ value: Record.Value) throws {
            let graph = try RecordEncoder().encode(Forgiving(bad: bad, good: good))
            #expect(graph.map(\.fields) == [["content": value, "after": [1]]])
        }
        let bad = HalfWritten(shape: shape)
        try expect(bad, Embedded(before: 1, value: 2, after: ""), ["before": 1, "value": 2, "after": ""])
        try expect(bad, [7], [7])
        try expect(bad, ["k": 7], ["k": 7])
        try expect(["k": [bad, bad]], [[7]], [[7]])
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

extension CodingUserInfoKey {
    fileprivate static let fails = CodingUserInfoKey(rawValue: "CaughtErrorTests.fails").unsafelyUnwrapped
}
