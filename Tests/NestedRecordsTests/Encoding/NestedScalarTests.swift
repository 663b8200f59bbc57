import Foundation
import NestedRecords
import Testing

/// Values that open no level of their own, written to containers that stand aside of the open levels.
@Suite struct NestedScalarTests {
    enum CodingKeys: CodingKey { case dates, leaf, at }

    struct Leaf: RecordEncodable, Identifiable {
        var id: Int
        var text: String
    }

    final class Root: RecordEncodable, Identifiable {
        let id = 1
        let leaves = [Leaf(id: 1, text: "a"), Leaf(id: 1, text: "b")]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var dates = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .dates)
            try dates.encode(Date(timeIntervalSince1970: 0), forKey: .at)
            try container.encode(leaves, forKey: .leaf)
        }
    }

    @Test func valueAfterThemHasItsOwnPath() throws {
        let error = try #require(throws: RecordError.self) { try RecordEncoder().encode(Root()) }
        #expect(error.code == .conflict && error.field == "text")
        #expect(error.firstPath.map(\.stringValue) == ["leaf", "Index 0"])
        #expect(error.secondPath.map(\.stringValue) == ["leaf", "Index 1"])
    }

    final class Dated: RecordEncodable, Identifiable {
        let id = 1

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var dates = container.nestedUnkeyedContainer(forKey: .dates)
            try dates.encode(Date(timeIntervalSince1970: 0))
        }
    }

    @Test func callThatEndsWithThemKeepsNothingAlive() throws {
        weak var dated: Dated?
        do {
            let strong = Dated()
            dated = strong
            #expect(try RecordEncoder().encode(strong).count == 1)
        }
        #expect(dated == nil)
    }
}
