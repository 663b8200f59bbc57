import Foundation
import NestedRecords
import TestSupport
import Testing

/// Values that are handed the coder, and values that are handed to a container.
@Suite struct TwoWaysTests {
    enum Way: CaseIterable, Sendable { case coder, container }

    private static func key(_ name: String) -> CodingUserInfoKey { CodingUserInfoKey(rawValue: name).unsafelyUnwrapped }
    static let writing = key("TwoWaysTests.writing")
    static let reading = key("TwoWaysTests.reading")

    /// A value that is written and read in the way that the coders say, as a whole.
    struct Wrapped<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value

        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws {
            value =
                decoder.userInfo[reading] as? Way == .coder
                ? try Value(from: decoder) : try decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            if encoder.userInfo[writing] as? Way == .coder { return try value.encode(to: encoder) }
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// The same for a part.
    struct Parts<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value
        enum CodingKeys: CodingKey { case part }

        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            value =
                decoder.userInfo[reading] as? Way == .coder
                ? try Value(from: container.superDecoder(forKey: .part))
                : try container.decode(Value.self, forKey: .part)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if encoder.userInfo[writing] as? Way == .coder {
                return try value.encode(to: container.superEncoder(forKey: .part))
            }
            try container.encode(value, forKey: .part)
        }
    }

    @Test func valueThatWasWrittenInOneWayIsRefusedInTheOther() throws {
        func expectRefusal<Value: Codable & Equatable>(_ value: Value) {
            for (write, read) in [(Way.coder, Way.container), (.container, .coder)] {
                let ways: [CodingUserInfoKey: any Sendable] = [Self.writing: write, Self.reading: read]
                let holder = Holder(Wrapped(value))
                let results = [
                    Result { try BothCoders.throughJSON(holder, ways) },
                    Result { try BothCoders.throughRecords(holder, ways) },
                ]
                for result in results { #expect(throws: DecodingError.self) { _ = try result.get() } }
            }
        }
        expectRefusal(Data([1, 2, 255]))
        expectRefusal(Data())
        expectRefusal(Decimal(7))
        try expectRefusal(#require(URL(string: "https://example.org")))
    }

    @Test func bytesAreNotAnArrayAndAnArrayIsNotBytes() throws {
        func record(_ value: Record.Value) throws -> RecordGraph {
            let id = try Record.ID("Holder/holder")
            return try RecordGraph([Record(id: id, fields: ["value": value])], roots: [id])
        }
        #expect(throws: DecodingError.self) {
            try RecordDecoder().decode(Holder<[UInt8]>.self, from: record(.bytes(Data([1]))))
        }
        #expect(throws: DecodingError.self) {
            try RecordDecoder().decode(Holder<[Int]>.self, from: record(.bytes(Data())))
        }
        #expect(throws: DecodingError.self) {
            try RecordDecoder().decode(Holder<Data>.self, from: record(.list([.int(1)])))
        }
    }

    struct Leaf: RecordCodable, Identifiable, Equatable {
        var id: String
        var number: Int
        var next: [Leaf] = []
        var date: Date?
    }

    struct Named: RecordCodable, Equatable {
        @RecordName var id: String
        var version: Record.Metadata?
        var next: [Named] = []
    }

    @Test func nameOfARecordThatIsReadByItsDecoderIsItsOwn() async throws {
        let value = Holder(Parts(Wrapped(Named(id: "outer", next: [Named(id: "inner")]))))
        let database = InMemoryRecordDatabase()
        try await database.values.overwrite(value)
        var decoder = RecordDecoder()
        decoder.coding.userInfo[Self.reading] = Way.coder
        let loaded = try await database.values(coding: decoder.coding).fetch(type(of: value), named: "holder").value
            .value.value.value
        #expect(loaded.id == "outer" && loaded.next.map(\.id) == ["inner"])
        #expect(loaded.version != nil && loaded.next.allSatisfy { $0.version != nil })
    }

    @Test func recordsThatAreStillToBeFetchedAreFollowed() async throws {
        let leaf = Leaf(id: "leaf", number: 1, next: [Leaf(id: "child", number: 2)])
        let value = Holder(Parts([Wrapped(leaf), Wrapped(Leaf(id: "b", number: 3))]))
        let graph = try RecordEncoder().encode(value)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        var decoder = RecordDecoder()
        decoder.coding.userInfo[Self.reading] = Way.coder
        for _ in 1...2 {
            #expect(try await decoder.decode(type(of: value), from: graph.roots[0], in: database) == value)
        }
    }

    @Test func missingRecordThatIsReadByItsDecoderIsADanglingReference() throws {
        let record = try Record(
            id: Record.ID("Holder/holder"), fields: ["value": .reference(Record.Reference(to: Record.ID("Leaf/404")))])
        var decoder = RecordDecoder()
        decoder.coding.userInfo[Self.reading] = Way.coder
        let error = try #require(throws: RecordError.self) {
            try decoder.decode(Holder<Wrapped<Leaf>>.self, from: RecordGraph([record]))
        }
        #expect(error.code == .danglingReference)
    }

    @Test func recordThatIsReadByItsDecoderWithinItselfIsALimitedDepth() throws {
        let fields: Record.Fields = ["value": .reference(Record.Reference(to: try Record.ID("Holder/holder")))]
        struct Loop: RecordDecodable {
            static var recordType: String { "Holder" }
            var recordName: String { "holder" }
            enum CodingKeys: CodingKey { case value }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _ = try Loop(from: container.superDecoder(forKey: .value))
            }
        }
        let error = try #require(throws: RecordError.self) {
            try RecordDecoder().decode(
                Loop.self,
                from: RecordGraph(
                    [Record(id: Record.ID("Holder/holder"), fields: fields)], roots: [Record.ID("Holder/holder")]))
        }
        #expect(error.code == .depthLimitExceeded || error.code == .referenceCycle)
    }

    /// Reads a date from a decoder, with an error of its own, and another part.
    struct Strict: RecordCodable, Equatable {
        struct NoDate: Error {}
        var recordName: String { "strict" }
        var date: Date
        var number: Int?
        enum CodingKeys: CodingKey { case date, number }

        init(date: Date, number: Int?) { (self.date, self.number) = (date, number) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard let date = try? Date(from: container.superDecoder(forKey: .date)) else { throw NoDate() }
            self.date = date
            number = try container.decode(Int.self, forKey: .number)
        }
    }

    @Test func errorOfATypeThatMissesADateIsNotAnError() throws {
        let value = Strict(date: Date(timeIntervalSinceReferenceDate: 7), number: 1)
        #expect(try BothCoders.throughRecords(value) == value)
        #expect(try BothCoders.throughRecords(Holder([value])) == Holder([value]))
    }

    @Test func errorAfterADateIsThatOfTheTypeThatHasFoundIt() throws {
        let value = Strict(date: Date(timeIntervalSinceReferenceDate: 7), number: nil)
        for code in [BothCoders.throughJSON, BothCoders.throughRecords]
            as [(Strict, [CodingUserInfoKey: any Sendable]) throws -> Strict]
        {
            let error = #expect(throws: DecodingError.self) { try code(value, [:]) }
            guard case .keyNotFound(let key, _) = error, key.stringValue == "number" else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }
}
