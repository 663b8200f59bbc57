import NestedRecords
import TestSupport
import Testing

/// Values in one field that are nested more deeply than the stack of a small thread holds.
@Suite struct DeepValueTests {
    enum Use: CaseIterable, Sendable {
        case equality, hash, references, graph, description, decoding

        func apply(to record: Record, and copy: Record) throws {
            switch self {
            case .equality: #expect(record == copy)
            case .hash: #expect(record.hashValue == copy.hashValue)
            case .references: #expect(record.references.isEmpty)
            case .graph: #expect(try RecordGraph([record, copy]).count == 1)
            case .description: #expect("\(record)" == "\(copy)")
            case .decoding: #expect(try RecordDecoder().decode(Root.self, from: RecordGraph([record])).id == 1)
            }
        }
    }

    struct Root: RecordCodable, Identifiable {
        var id: Int
    }

    static func makeRecord() throws -> Record {
        var value = Record.Value.int(1)
        for _ in 0..<999 { value = .map(["nest": value]) }
        return try Flat.record("Root/1", ["id": .int(1), "nest": value])
    }

    @Test(arguments: Use.allCases) func deepValueIsUsedInATaskAndOnASmallStack(use: Use) async throws {
        let (record, copy) = (try Self.makeRecord(), try Self.makeRecord())
        try use.apply(to: record, and: copy)
        try await inThreadWithSmallStack { try use.apply(to: record, and: copy) }
    }

    final class Link: Codable {
        var next: Link?
        init(_ next: Link?) { self.next = next }

        static func chain(of count: Int) -> Link { (1..<count).reduce(Link(nil)) { link, _ in Link(link) } }

        /// Releases a chain without recursion.
        static func dismantle(_ link: Link) {
            var link: Link? = link
            while let current = link {
                link = current.next
                current.next = nil
            }
        }
    }

    struct Owner: RecordCodable, Identifiable, @unchecked Sendable {
        var id = 1
        var first: Link
    }

    @Test(arguments: [1_000, 1_001, 60_000])
    func embeddedValuesAreNestedAThousandTimesAtMost(count: Int) throws {
        let first = Link.chain(of: count)
        defer { Link.dismantle(first) }
        var encoder = RecordEncoder()
        encoder.coding.maximumDepth = 100_000
        if count <= 1_000 {
            #expect(try encoder.encode(Owner(first: first)).count == 1)
        } else {
            let error = try #require(throws: RecordError.self) { try encoder.encode(Owner(first: first)) }
            #expect(error.code == .depthLimitExceeded)
            #expect(error.limit == 1_000)
            #expect(error.context.field == "first")
        }
    }

    @Test func equalCopiesOfTheDeepestValueAreOneRecordOnASmallStack() async throws {
        let owners = (1...2).map { _ in Owner(first: Link.chain(of: 999)) }
        #expect(try await inThreadWithSmallStack { try RecordEncoder().encode(owners).count } == 1)
    }

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
        static let schema = RecordSchema(locations: ["spot"])
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
