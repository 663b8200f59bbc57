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

    /// A value of one of two types, read and written through different containers, as JSON's coders allow.
    enum Either: Codable, Equatable {
        case point(Point)
        case text(String)
        case list([Int])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let point = try? container.decode(Point.self) {
                self = .point(point)
            } else if let list = try? container.decode([Int].self) {
                self = .list(list)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
        func encode(to encoder: any Encoder) throws {
            switch self {
            case .point(let point): try point.encode(to: encoder)
            case .text(let text): try text.encode(to: encoder)
            case .list(let list): try list.encode(to: encoder)
            }
        }
    }

    struct Point: Codable, Equatable {
        var x = 1
        var y = 2
    }

    static let eithers: [RoundTripCase] = [
        RoundTripCase("object") { Either.point(Point()) },
        RoundTripCase("text") { Either.text("a") },
        RoundTripCase("list") { Either.list([1]) },
    ]

    @Test(arguments: eithers, RoundTripPosition.allCases)
    func valueThatTriesOneTypeAfterTheOtherComesBack(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }
}
