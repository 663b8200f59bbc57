import NestedRecords
import TestSupport
import Testing

/// Values that are nested more deeply than the stack of the calling thread holds.
@Suite struct DeepCollectionTests {
    indirect enum Nest: Codable, Hashable {
        case leaf(Int)
        case list(Nest)

        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                self = .list(try list.decode(Nest.self))
            } else {
                self = .leaf(try decoder.singleValueContainer().decode(Int.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .leaf(let number):
                var container = encoder.singleValueContainer()
                try container.encode(number)
            case .list(let nested):
                var container = encoder.unkeyedContainer()
                try container.encode(nested)
            }
        }

        init(_ number: Int, depth: Int) {
            self = .leaf(number)
            for _ in 0..<depth { self = .list(self) }
        }
    }

    struct Nests: RecordEncodable {
        var recordName: String { "nests" }
        var nests: Set<Nest>
    }

    @Test func deepElementsOfASetAreStoredInTheirOrder() async throws {
        let lists = try await inThreadWithSmallStack {
            try [[1, 2], [2, 1]].map { numbers in
                try RecordEncoder().encode(Nests(nests: Set(numbers.map { Nest($0, depth: 400) }))).first?["nests"]
            }
        }
        #expect(lists[0] != nil)
        #expect(lists[0] == lists[1])
    }

    struct Mixed: RecordEncodable {
        var recordName: String { "mixed" }
        var values: Set<[[String: [Int]]]>
    }

    @Test func nestedElementsOfASetHaveOneOrder() throws {
        let elements: [[[String: [Int]]]] = [
            [], [[:]], [["a": []]], [["a": [1]]], [["a": [1, 2]]], [["a": [2]]], [["a": [2]], [:]], [["b": []]],
        ]
        let stored = try RecordEncoder().encode(Mixed(values: Set(elements))).first?["values"]
        guard case .list(let values)? = stored else {
            Issue.record("the set is no list")
            return
        }
        let expected = try elements.map { try RecordEncoder().encode(Mixed(values: [$0])).first?["values"] }
        #expect(values.map { Record.Value.list([$0]) } == expected)
    }

    struct Place: RecordEncodable {
        static let locationProperties = ["spot"]
        var recordName: String { "place" }
        var spot: Spot

        struct Spot: Encodable {
            var depth: Int

            func encode(to encoder: any Encoder) throws {
                if depth > 0 {
                    var container = encoder.unkeyedContainer()
                    try container.encode(Spot(depth: depth - 1))
                } else {
                    var container = encoder.singleValueContainer()
                    try container.encode("1.0;2.0")
                }
            }
        }
    }

    @Test func deepListOfLocationsIsStored() async throws {
        let depth = 900
        let graph = try await inThreadWithSmallStack { try RecordEncoder().encode(Place(spot: .init(depth: depth))) }
        var value = graph.first?["spot"]
        for _ in 0..<depth {
            guard case .list(let values)? = value else { break }
            value = values.first
        }
        #expect(value == .location(try Location("1.0;2.0")))
    }
}
