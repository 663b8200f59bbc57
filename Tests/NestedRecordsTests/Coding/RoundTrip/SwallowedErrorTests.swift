import NestedRecords
import Testing

/// What a value wrote before it failed must not turn up anywhere, when the value that contains it goes on.
@Suite struct SwallowedErrorTests {
    struct Failure: Error {}

    enum Shape: CaseIterable { case keyed, nested, list, listInList, single, superEncoder, handedOn }

    struct Failing: Encodable {
        var shape: Shape

        enum CodingKeys: CodingKey { case a, b }

        func encode(to encoder: any Encoder) throws {
            switch shape {
            case .keyed:
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode("left over", forKey: .a)
                try container.encode("left over", forKey: .b)
            case .nested:
                var container = encoder.container(keyedBy: CodingKeys.self)
                var nested = container.nestedUnkeyedContainer(forKey: .a)
                try nested.encode("left over")
            case .list:
                var container = encoder.unkeyedContainer()
                try container.encode("left over")
            case .listInList:
                var container = encoder.unkeyedContainer()
                var nested = container.nestedContainer(keyedBy: CodingKeys.self)
                try nested.encode("left over", forKey: .a)
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode("left over")
            case .superEncoder:
                var container = encoder.container(keyedBy: CodingKeys.self)
                try "left over".encode(to: container.superEncoder())
            case .handedOn:
                try [1, 2].encode(to: encoder)
            }
            throw Failure()
        }
    }

    struct Point: Codable, Equatable {
        var x = 1
        var y = 2
    }

    struct Root<Bad: Encodable, Good: Codable & Equatable>: RecordEncodable, Decodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var bad: Bad?
        var good: Good

        enum CodingKeys: CodingKey { case bad, good, after }

        init(bad: Bad, good: Good) {
            self.bad = bad
            self.good = good
        }

        init(from decoder: any Decoder) throws {
            good = try decoder.container(keyedBy: CodingKeys.self).decode(Good.self, forKey: .good)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode(bad, forKey: .bad)
            try container.encode(good, forKey: .good)
            try container.encode([1], forKey: .after)
        }
    }

    private func fields(_ root: some RecordEncodable) throws -> Record.Fields? {
        let graph = try RecordEncoder().encode(root)
        return graph.count == 1 ? graph.first?.fields : nil
    }

    @Test(arguments: Shape.allCases)
    func halfWrittenValueLeavesNothingInTheNextObject(shape: Shape) throws {
        let point: Record.Value = .map(["x": .int(1), "y": .int(2)])
        let expected: Record.Fields = ["good": point, "after": .list([.int(1)])]
        #expect(try fields(Root(bad: Failing(shape: shape), good: Point())) == expected)
    }

    @Test(arguments: Shape.allCases)
    func halfWrittenValueLeavesNothingInTheNextList(shape: Shape) throws {
        let expected: Record.Fields = ["good": .list([.int(7)]), "after": .list([.int(1)])]
        #expect(try fields(Root(bad: Failing(shape: shape), good: [7])) == expected)
    }

    @Test(arguments: Shape.allCases)
    func halfWrittenValueLeavesNothingInTheNextDictionary(shape: Shape) throws {
        let expected: Record.Fields = ["good": .map(["k": .int(7)]), "after": .list([.int(1)])]
        #expect(try fields(Root(bad: Failing(shape: shape), good: ["k": 7])) == expected)
    }

    @Test(arguments: Shape.allCases)
    func halfWrittenElementsLeaveNothing(shape: Shape) throws {
        let bad = ["k": [Failing(shape: shape), Failing(shape: shape)]]
        let expected: Record.Fields = ["good": .list([.list([.int(7)])]), "after": .list([.int(1)])]
        #expect(try fields(Root(bad: bad, good: [[7]])) == expected)
    }

    struct Leaf: RecordCodable, Identifiable { var id: Int }

    struct FailsAfterRecord: RecordEncodable {
        static var recordType: String { "FailsAfterRecord" }
        var recordName: String { "bad" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(Leaf(id: 1))
            throw Failure()
        }
    }

    @Test func failedRecordIsLeftOut() throws {
        #expect(try fields(Root(bad: FailsAfterRecord(), good: 1)) == ["good": 1, "after": [1]])
    }
}
