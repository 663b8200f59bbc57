import Foundation
import NestedRecords
import Testing

/// Coders that are used while a coder is at work.
@Suite struct ReentrantCodingTests {
    /// Keeps its value as the JSON form of a graph of its own.
    struct Boxed<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value

        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            let data = try container.decode(Data.self)
            let records = try JSONDecoder().decode([Record].self, from: data)
            let graph = try RecordGraph(records, roots: [Record.ID("Holder/holder")])
            value = try RecordDecoder().decode(Holder<Value>.self, from: graph).value
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            let graph = try RecordEncoder().encode(Holder(value))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try container.encode(encoder.encode(Array(graph)))
            #expect(container.count == 1)
        }
    }

    @Test func codersInsideOfCodersDoNotDisturbEachOther() async throws {
        try await RoundTripCheck()(Holder([Boxed(Boxed(["a": 1])), Boxed(Boxed([:]))]))
    }

    @Test func encoderIsUsedAgainAfterAnError() throws {
        let encoder = RecordEncoder()
        #expect(throws: EncodingError.self) { try encoder.encode(Holder([[Unstorable()]])) }
        #expect(try encoder.encode(Holder([1]))[0]["value"] == .list([.int(1)]))
        #expect(try encoder.encode(Holder([1])) == encoder.encode(Holder([1])))
    }

    @Test func decoderIsUsedAgainAfterAnError() throws {
        let decoder = RecordDecoder()
        let graph = try RecordEncoder().encode(Holder(["a"]))
        #expect(throws: DecodingError.self) { try decoder.decode(Holder<[Int]>.self, from: graph) }
        #expect(try decoder.decode(Holder<[String]>.self, from: graph).value == ["a"])
    }
}
