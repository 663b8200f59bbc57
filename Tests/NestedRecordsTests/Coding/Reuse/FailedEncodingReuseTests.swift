import NestedRecords
import Testing

/// A call that fails half-way leaves nothing to the next ones.
@Suite(.timeLimit(.minutes(10))) struct FailedEncodingReuseTests {
    struct Failure: Error {}

    enum Fault: String, CaseIterable {
        case none, first, afterRecord, list, listOfRecords, dictionary, nestedContainer, superEncoder, listOfNested
        case tooLarge, writtenTwice, twoKinds, conflict, invalidName, emptyKey, location, deep, tooDeep, swallowed
        case swallowedRecord
    }

    struct Leaf: RecordEncodable, Identifiable {
        var id: String
        var text: String
    }

    struct Bad: Encodable {
        var depth = 0
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Faulty.CodingKeys.self)
            try container.encode("left over", forKey: .text)
            if depth > 0 { try container.encode(Bad(depth: depth - 1), forKey: .bad) }
            throw Failure()
        }
    }

    struct BadRecord: RecordEncodable, Identifiable {
        var id = "bad"
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Faulty.CodingKeys.self)
            try container.encode("left over", forKey: .text)
            try container.encode(Leaf(id: "2", text: "left over"), forKey: .leaf)
            throw Failure()
        }
    }

    struct Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Faulty.CodingKeys.self)
            try container.encode(Endless(), forKey: .bad)
        }
    }

    struct Faulty: RecordEncodable {
        static var recordType: String { "Faulty" }
        static var locationProperties: Set<String> { ["place"] }
        var recordName: String { fault == .invalidName ? "" : "f" }
        var fault: Fault

        enum CodingKeys: String, CodingKey { case text, leaf, bad, list, place, empty = "" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if fault == .first { throw Failure() }
            try container.encode("good", forKey: .text)
            try container.encode(Leaf(id: "1", text: "good"), forKey: .leaf)
            try fail(encoder, &container)
            try container.encode([1, 2], forKey: .list)
            try container.encode("57.0;1.5", forKey: .place)
        }

        private func fail(_ encoder: any Encoder, _ container: inout KeyedEncodingContainer<CodingKeys>) throws {
            switch fault {
            case .none, .first, .invalidName: break
            case .afterRecord: throw Failure()
            case .list: try container.encode([[Bad()]], forKey: .bad)
            case .listOfRecords: try container.encode([BadRecord(id: "0")], forKey: .bad)
            case .dictionary: try container.encode(["a": [3: Bad()]], forKey: .bad)
            case .nestedContainer:
                var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .bad)
                try nested.encode("left over", forKey: .text)
                try nested.encode(Bad(), forKey: .bad)
            case .superEncoder: try Bad().encode(to: container.superEncoder(forKey: .bad))
            case .listOfNested:
                var nested = container.nestedUnkeyedContainer(forKey: .bad)
                var inner = nested.nestedUnkeyedContainer()
                try inner.encode("left over")
                try inner.encode(Bad())
            case .tooLarge: try container.encode(UInt64.max, forKey: .bad)
            case .writtenTwice: try container.encode("other", forKey: .text)
            case .twoKinds: _ = encoder.unkeyedContainer()
            case .conflict: try container.encode(Leaf(id: "1", text: "other"), forKey: .bad)
            case .emptyKey: try container.encode(1, forKey: .empty)
            case .location: try container.encode("nowhere", forKey: .place)
            case .deep: try container.encode(Bad(depth: 400), forKey: .bad)
            case .tooDeep: try container.encode(Endless(), forKey: .bad)
            case .swallowed: try? container.encode(["a": [Bad(depth: 100)]], forKey: .bad)
            case .swallowedRecord: try? container.encode(BadRecord(), forKey: .bad)
            }
        }
    }

    private func outcome(_ fault: Fault) -> String {
        do {
            return try RecordEncoder().encode(Faulty(fault: fault)).lines.joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }

    /// What each fault gives, whatever was encoded before.
    private static let good =
        #"Leaf/1 {id: "1", text: "good"}; Faulty/f {text: "good", leaf: → Leaf/1, list: [1, 2], place: 57.0;1.5}"#

    @Test(arguments: Fault.allCases) func outcomesAreTheSameAfterWhateverFailed(fault: Fault) {
        let own = outcome(fault)
        #expect((own == Self.good) == [.none, .swallowed].contains(fault))
        for other in Fault.allCases where ![.tooDeep, .deep].contains(other) {
            let fresh = outcome(other)
            #expect(outcome(fault) == own)
            #expect(outcome(other) == fresh)
            #expect(outcome(.none) == Self.good)
        }
    }

    @Test(arguments: Fault.allCases) func otherTypesAreEncodedAfterAFailure(fault: Fault) throws {
        struct Tree: RecordEncodable, Identifiable {
            var id: Int
            var names: [String: [String]]
            var trees: [Tree]
        }
        let tree = Tree(id: 1, names: ["b": [], "a": ["x"]], trees: [Tree(id: 2, names: [:], trees: [])])
        for _ in 0..<3 {
            _ = outcome(fault)
            let lines = try RecordEncoder().encode(tree).lines
            #expect(
                lines == [
                    "Tree/2 {id: 2, names: {}, trees: []}",
                    #"Tree/1 {id: 1, names: {a: ["x"], b: []}, trees: [→ Tree/2]}"#,
                ])
        }
    }

    @Test func failuresTellTheirOwnPlace() {
        #expect(
            outcome(.conflict).contains(
                "two values with the ID Leaf/1 differ in field 'text': one is at 'leaf', the other at 'bad'"))
        #expect(outcome(.listOfRecords).contains("in record BadRecord/0"))
        #expect(outcome(.writtenTwice).contains("in record Faulty/f"))
        #expect(outcome(.tooDeep).contains("nested more than 1000 levels deep"))
    }
}
