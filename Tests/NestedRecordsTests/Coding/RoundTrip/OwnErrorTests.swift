import Foundation
import NestedRecords
import Testing

/// Errors of a type's own code, as the types around it see them.
@Suite struct OwnErrorTests {
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
        func expect<Content: Codable & Equatable>(_: Content.Type, _ stored: Record.Value) throws {
            let holder = try Record(
                id: Record.ID("Holder/holder"), fields: ["value": ["content": stored, "caught": "mine"]])
            let failing = try Record(id: Record.ID("FailingRecord/failing"), fields: ["value": stored])
            let inner = try Record(
                id: Record.ID("RecordOf/value"),
                fields: ["value": .reference(Record.Reference(to: failing.id))])
            let graph = try RecordGraph([holder, failing, inner], roots: [holder.id])
            let value = try RecordDecoder().decode(Holder<Catching<Content>>.self, from: graph).value
            #expect(value.content == nil)
            #expect(value.caught == "mine 7")
        }
        let reference = Record.Value.reference(Record.Reference(to: try Record.ID("FailingRecord/failing")))
        let inner = Record.Value.reference(Record.Reference(to: try Record.ID("RecordOf/value")))
        try expect(Failing.self, [:])
        try expect([Failing].self, [[:]])
        try expect([String: Failing].self, ["a": [:]])
        try expect(Nested<Failing>.self, ["outer": ["inner": [[:]]]])
        try expect(FailingRecord.self, reference)
        try expect([FailingRecord].self, [reference])
        try expect(RecordOf<Embedding>.self, inner)
    }

    struct Embedding: Codable, Equatable { var value: FailingRecord }

    /// A list of what can be written.
    struct Lossy: RecordEncodable {
        var recordName: String { "lossy" }
        var contents: [any Encodable & Sendable]
        var isUnkeyed = false

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

    @Test func failedRecordLeavesNothingBehind() throws {
        let graph = try RecordEncoder().encode(
            Lossy(contents: [
                1, FailingAfterLeaf(leaf: Leaf(id: 1)), Leaf(id: 2), FailingAfterLeaf(leaf: Leaf(id: 2)), 3,
            ]))
        #expect(graph.map(\.id.description) == ["Leaf/2", "Lossy/lossy"])
        #expect(graph.last?.fields == ["$value": [1, .reference(Record.Reference(to: try Record.ID("Leaf/2"))), 3]])
        #expect(graph[try Record.ID("Leaf/1")] == nil)
        #expect(graph[try Record.ID("FailingAfterLeaf/failing")] == nil)
        #expect(graph[try Record.ID("Leaf/2")] != nil)
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

    @Test func errorsHaveTheirPlaceOnceAtTheEnd() throws {
        struct Outer: RecordCodable, Identifiable, Equatable {
            var id = 1
            var inner: [RecordOf<Embedded<Failing>>] = [RecordOf(Embedded(before: 1, value: Failing(), after: ""))]
        }
        let error = try #require(throws: EncodingError.self) { try RecordEncoder().encode(Outer()) }
        guard case .invalidValue(let value, let context) = error else { return }
        #expect(value is Failing)
        #expect(context.underlyingError is MyError)
        #expect(context.codingPath.map(\.stringValue) == ["inner", "Index 0", "value"])
        #expect(
            context.debugDescription
                == "encoding failed: MyError(number: 7), in record RecordOf/value, field 'value' (Outer/1 .inner[0] → RecordOf/value)"
        )
    }
}

extension CodingUserInfoKey {
    fileprivate static let fails = CodingUserInfoKey(rawValue: "OwnErrorTests.fails").unsafelyUnwrapped
}
