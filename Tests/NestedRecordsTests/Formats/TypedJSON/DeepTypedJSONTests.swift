import Foundation
import NestedRecords
import TestSupport
import Testing

/// The coding of deep records with other coders, on a small stack.
@Suite(.timeLimit(.minutes(60))) struct DeepTypedJSONTests {
    enum Shape: CaseIterable { case list, map, markedMap, both }

    private static func value(_ shape: Shape, depth: Int) -> Record.Value {
        (1..<depth).reduce(Record.Value.list([])) { value, level in
            switch shape {
            case .list: [1, value, "a"]
            case .map: ["a": value, "b": 2]
            case .markedMap: level.isMultiple(of: 2) ? ["$a": value] : [value]
            case .both: level.isMultiple(of: 2) ? ["a": value] : [value]
            }
        }
    }

    /// Foundation reads 512 nested lists and objects, of which the record and its fields are two.
    @Test(arguments: Shape.allCases) func deepRecordIsCodedWithJSONOnASmallStack(shape: Shape) async throws {
        let depth = Sweep.count(150, whole: shape == .markedMap ? 330 : 500)
        let record = try Record(id: Record.ID("Deep/1"), fields: ["value": Self.value(shape, depth: depth)])
        let decoded = try await inThreadWithSmallStack {
            try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record))
        }
        #expect(decoded == record)
    }

    @Test(arguments: [3_000, 100_000]) func deeperValueOfAnyDecoderIsRefusedOnASmallStack(depth: Int) async throws {
        let error = try await inThreadWithSmallStack {
            try #require(throws: DecodingError.self) { try Record.Value(from: ListDecoder(depth: depth)) }
        }
        #expect(CodingFailure(error)?.kind == .dataCorrupted)
        #expect("\(error)".contains("found more than 512 nested lists and objects, expected fewer"))
    }

    /// A decoder of a list in a list, and so on, without a limit of its own.
    private struct ListDecoder: Decoder, UnkeyedDecodingContainer {
        let depth: Int
        let level: Int
        var codingPath: [any CodingKey] { Array(repeating: Index(intValue: 0), count: level) }
        var userInfo: [CodingUserInfoKey: Any] { [:] }
        var count: Int? { depth > 1 ? 1 : 0 }
        var isAtEnd: Bool { currentIndex == count }
        var currentIndex = 0

        private struct Index: CodingKey {
            var intValue: Int?
            var stringValue: String { "Index 0" }
            init(intValue: Int) { self.intValue = intValue }
            init?(stringValue: String) { return nil }
        }

        init(depth: Int, level: Int = 0) { (self.depth, self.level) = (depth, level) }

        private var noValue: any Error {
            DecodingError.typeMismatch(Any.self, .init(codingPath: [], debugDescription: "expected a list"))
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { self }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw noValue }
        func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw noValue }
        func decodeNil() throws -> Bool { false }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try Value(from: superDecoder())
        }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw noValue }
        func nestedContainer<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw noValue }

        mutating func superDecoder() throws -> any Decoder {
            currentIndex += 1
            return ListDecoder(depth: depth - 1, level: level + 1)
        }
    }

    @Test func deepErrorHasItsPath() async throws {
        let json = String(repeating: "[", count: 400) + #"{"$unknown": 1}"# + String(repeating: "]", count: 400)
        let error = try await inThreadWithSmallStack {
            try #require(throws: DecodingError.self) {
                try JSONDecoder().decode(
                    Record.self, from: Data(#"{"id": "Deep/1", "fields": {"value": \#(json)}}"#.utf8))
            }
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.count == 402)
        #expect(context.debugDescription.hasPrefix("found the mark '$unknown'"))
    }
}
