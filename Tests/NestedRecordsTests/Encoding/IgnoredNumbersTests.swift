import NestedRecords
import Testing

/// Ignored properties may hold what a field cannot.
@Suite struct IgnoredNumbersTests {
    enum CodingKeys: CodingKey { case id, cache }

    enum Way: CaseIterable { case scalar, optional, list, nested, nestedList, superEncoder }

    struct Item: RecordEncodable, Identifiable {
        static var ignoredProperties: Set<String> { ["cache"] }
        var id = 1
        var way: Way

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            switch way {
            case .scalar: try container.encode(UInt64.max, forKey: .cache)
            case .optional: try container.encodeIfPresent(Optional(UInt64.max), forKey: .cache)
            case .list: try container.encode([UInt64.max], forKey: .cache)
            case .nested:
                var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .cache)
                try nested.encode(UInt64.max, forKey: .id)
            case .nestedList:
                var nested = container.nestedUnkeyedContainer(forKey: .cache)
                try nested.encode(UInt64.max)
            case .superEncoder:
                var nested = container.superEncoder(forKey: .cache).singleValueContainer()
                try nested.encode(UInt64.max)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func numberBeyondAllFieldsIsIgnored(way: Way) throws {
        #expect(try RecordEncoder().encode(Item(way: way)).map(\.fields) == [["id": .int(1)]])
    }
}
