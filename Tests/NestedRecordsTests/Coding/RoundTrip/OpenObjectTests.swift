import NestedRecords
import TestSupport
import Testing

/// Objects with properties of their own and a dictionary for all others, side by side in one level.
@Suite struct OpenObjectTests {
    enum Order: CaseIterable { case propertiesFirst, dictionaryFirst }

    struct Open: Codable, Equatable {
        var postalCode: Int?
        var others: [String: Int]

        enum CodingKeys: CodingKey { case postalCode }

        static let writing = CodingUserInfoKey(rawValue: "writing")
        static let reading = CodingUserInfoKey(rawValue: "reading")

        init(postalCode: Int?, others: [String: Int]) {
            (self.postalCode, self.others) = (postalCode, others)
        }

        init(from decoder: any Decoder) throws {
            let key = try #require(Self.reading)
            let isFirst = decoder.userInfo[key] as? Order == .dictionaryFirst
            let first = isFirst ? try [String: Int](from: decoder) : nil
            let container = try decoder.container(keyedBy: CodingKeys.self)
            postalCode = try container.decodeIfPresent(Int.self, forKey: .postalCode)
            let all = try first ?? [String: Int](from: decoder)
            others = all.filter { $0.key != "postal_code" }
        }

        func encode(to encoder: any Encoder) throws {
            let key = try #require(Self.writing)
            let isFirst = encoder.userInfo[key] as? Order == .dictionaryFirst
            if isFirst { try others.encode(to: encoder) }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(postalCode, forKey: .postalCode)
            if !isFirst { try others.encode(to: encoder) }
        }
    }

    @Test(arguments: Order.allCases, Order.allCases)
    func propertiesKeepTheirNamesBesideADictionary(writing: Order, reading: Order) throws {
        var (encoder, decoder) = coders(keys: .snakeCase)
        encoder.coding.userInfo[try #require(Open.writing)] = writing
        decoder.coding.userInfo[try #require(Open.reading)] = reading
        let open = Open(postalCode: 1_234, others: ["x": 2, "houseNumber": 3])
        let graph = try encoder.encode(Holder(open))
        #expect(graph[0]["value"] == .map(["postal_code": .int(1_234), "x": .int(2), "houseNumber": .int(3)]))
        #expect(try decoder.decode(Holder<Open>.self, from: graph).value == open)
    }
}
