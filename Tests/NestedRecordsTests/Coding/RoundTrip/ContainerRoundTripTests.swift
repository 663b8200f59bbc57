import NestedRecords
import Testing

/// Every way in which an `encode(to:)` can open containers.
@Suite struct ContainerRoundTripTests {
    enum Key: CodingKey { case a, b, c }
    enum OtherKey: CodingKey { case x, b }

    /// Writes and reads three numbers in a layout of its own.
    struct Layout<Kind: LayoutKind>: Codable, Equatable {
        var numbers = [1, 2, 3]

        init() {}
        init(from decoder: any Decoder) throws { numbers = try Kind.read(decoder) }
        func encode(to encoder: any Encoder) throws { try Kind.write(numbers, encoder) }
    }

    static let layouts: [RoundTripCase] = [
        RoundTripCase("one container with several types of keys") { Layout<SeveralKeys>() },
        RoundTripCase("a container asked for again") { Layout<Repeated>() },
        RoundTripCase("an unkeyed container asked for again") { Layout<RepeatedList>() },
        RoundTripCase("nested containers written in turns") { Layout<Interleaved>() },
        RoundTripCase("containers in a list written in turns") { Layout<InterleavedList>() },
        RoundTripCase("a nested container asked for twice") { Layout<NestedTwice>() },
        RoundTripCase("a nested list asked for twice") { Layout<NestedListTwice>() },
        // JSON's encoder stores super encoders in the order in which they are let go.
        RoundTripCase("several super encoders in a list", isJSON: false) { Layout<SuperEncoders>() },
        RoundTripCase("super encoders with keys") { Layout<KeyedSuperEncoders>() },
        RoundTripCase("nulls between") { Layout<Nulls>() },
        RoundTripCase("through generic functions") { Layout<Generic>() },
        RoundTripCase("nested empty containers") { Layout<EmptyContainers>() },
        RoundTripCase("write what is nested through a super encoder") { Layout<DeepSuper>() },
    ]

    @Test(arguments: layouts, RoundTripPosition.allCases)
    func layoutsComeBackInEveryPosition(value: RoundTripCase, position: RoundTripPosition) async throws {
        try await value.run(position)
    }

    struct Nothing: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    @Test(arguments: RoundTripPosition.allCases)
    func valueThatWritesNothingComesBack(position: RoundTripPosition) async throws {
        // JSON's coders refuse such a value at the top, so there is nothing to compare with.
        try await RoundTripCase("nothing", isJSON: false) { Nothing() }.run(position)
    }

    @Test func valueThatWritesNothingIsAnEmptyObject() throws {
        #expect(try RecordEncoder().encode(Holder([Nothing()]))[0]["value"] == .list([.map([:])]))
        #expect(try RecordEncoder().encode(RecordOf(Nothing()))[0].fields == [:])
    }

    @Test func nestedListCountsAndPathsAreThoseOfTheList() throws {
        struct Probe: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                #expect(list.count == 0)
                try list.encode(1)
                var nested = list.nestedUnkeyedContainer()
                #expect(nested.codingPath.map(\.stringValue) == ["probe", "Index 1"])
                try list.encodeNil()
                _ = list.superEncoder()
                #expect(list.count == 4)
                try nested.encode(contentsOf: [7, 8])
                #expect(nested.count == 2)
                let object = nested.nestedContainer(keyedBy: Key.self)
                #expect(object.codingPath.map(\.intValue) == [nil, 1, 2])
            }
        }
        struct Root: RecordEncodable {
            static var recordType: String { "Root" }
            var recordName: String { "root" }
            var probe = Probe()
        }
        let expected: Record.Value = .list([.int(1), .list([.int(7), .int(8), .map([:])]), .null, .map([:])])
        #expect(try RecordEncoder().encode(Root())[0]["probe"] == expected)
    }
}

protocol LayoutKind: SendableMetatype {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws
    static func read(_ decoder: any Decoder) throws -> [Int]
}
