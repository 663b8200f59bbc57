import Foundation
import NestedRecords
import Testing

/// Scalars of Foundation that a type hands its encoder, with something else beside them, compared with JSON.
@Suite struct HandedOnScalarTests {
    struct Bookmark: Codable, Equatable {
        var url: URL
        var title: String?
        enum CodingKeys: CodingKey { case title }

        init(_ url: URL, title: String?) { (self.url, self.title) = (url, title) }

        init(from decoder: any Decoder) throws {
            url = try URL(from: decoder)
            title = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .title)
        }

        func encode(to encoder: any Encoder) throws {
            try url.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(title, forKey: .title)
        }
    }

    struct Money: Codable, Equatable {
        var amount: Decimal
        var currency: String
        enum CodingKeys: CodingKey { case currency }

        init(_ amount: Decimal, _ currency: String) { (self.amount, self.currency) = (amount, currency) }

        init(from decoder: any Decoder) throws {
            amount = try Decimal(from: decoder)
            currency = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .currency)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(currency, forKey: .currency)
            try amount.encode(to: encoder)
        }
    }

    private func expectSameAsJSON<Value: Codable & Equatable>(_ value: Value) throws {
        let holder = Holder(value)
        let carried = try JSONDecoder().decode(Holder<Value>.self, from: JSONEncoder().encode(holder))
        try #require(carried == holder)
        for strategy in [EmbeddingStrategy.map, .flattened()] {
            var decoder = RecordDecoder()
            decoder.coding.embeddingStrategy = strategy
            let encoder = RecordEncoder(decoder.coding)
            #expect(try decoder.decode(Holder<Value>.self, from: encoder.encode(holder)) == holder)
        }
    }

    @Test func keysBesideAURLAreKept() throws {
        let url = try #require(URL(string: "http://a/b"))
        try expectSameAsJSON(Bookmark(url, title: "A page"))
        try expectSameAsJSON(Bookmark(url, title: nil))
        try expectSameAsJSON([Bookmark(url, title: "A page")])
    }

    @Test func keysBesideADecimalAreKept() throws {
        try expectSameAsJSON(Money(12.5, "EUR"))
        try expectSameAsJSON(["a": Money(0, "CHF")])
    }

    @Test func baseOfAURLIsKept() throws {
        let base = try #require(URL(string: "http://a/b/"))
        try expectSameAsJSON(Bookmark(try #require(URL(string: "c?d", relativeTo: base)), title: "A part"))
        try expectSameAsJSON(Bookmark(URL(fileURLWithPath: "a b", relativeTo: base), title: nil))
    }

    @Test func slicesOfDataComeBackWithIndicesFromZero() throws {
        let holder = Holder(Data([1, 2, 3, 4])[2...])
        let decoded = try RecordDecoder().decode(Holder<Data>.self, from: RecordEncoder().encode(holder))
        #expect(decoded == holder)
        #expect(decoded.value.startIndex == 0)
    }

    struct Bytes: Codable, Equatable {
        var bytes: [UInt8]
        enum CodingKeys: CodingKey { case bytes }

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        init(from decoder: any Decoder) throws {
            bytes = try decoder.container(keyedBy: CodingKeys.self).decode([UInt8].self, forKey: .bytes)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try Data(bytes).encode(to: container.superEncoder(forKey: .bytes))
        }
    }

    @Test func dataThatIsHandedASuperEncoderReadsAsAnArrayOfBytes() throws {
        try expectSameAsJSON(Bytes([1, 2, 255]))
    }
}
