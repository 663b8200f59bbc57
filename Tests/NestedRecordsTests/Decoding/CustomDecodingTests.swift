import NestedRecords
import TestSupport
import Testing

/// Types with an `init(from:)` of their own.
@Suite(.timeLimit(.minutes(60))) struct CustomDecodingTests {
    struct Leaf: RecordCodable, Identifiable, Equatable { var id: Int }

    private func makeDatabase(_ fields: Record.Fields) async throws -> CountingDatabase {
        let root = try Flat.record("Root/1", Record.Fields([("id", .int(1))] + fields.map { ($0.name, $0.value) }))
        return try await CountingDatabase(
            holding: [root] + (1...4).map { try Flat.record("Leaf/\($0)", ["id": .int($0)]) })
    }

    @Test(arguments: [true, false]) func keysThatAreReadUnderAConditionDecode(withLeaf: Bool) async throws {
        struct Root: RecordDecodable, Identifiable, Equatable {
            var id: Int
            var leaf: Leaf?
            enum CodingKeys: CodingKey { case id, wantsLeaf, leaf }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                guard try container.decode(Bool.self, forKey: .wantsLeaf) else { return }
                leaf = try container.decode(Leaf.self, forKey: .leaf)
            }
        }
        let database = try await makeDatabase(["wantsLeaf": .bool(withLeaf), "leaf": Flat.reference("Leaf/1")])
        for _ in 1...2 {
            let root = try await RecordDecoder().decode(Root.self, named: "1", in: database)
            #expect(root.leaf == (withLeaf ? Leaf(id: 1) : nil))
        }
    }

    struct Containers: RecordDecodable, Identifiable, Equatable {
        var id: Int
        var leaves: [Leaf] = []

        enum CodingKeys: CodingKey { case id, map, list, above, leaf }
        enum OtherKeys: String, CodingKey { case other }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            let map = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .map)
            leaves.append(try map.decode(Leaf.self, forKey: .leaf))
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            while !list.isAtEnd {
                let inner = try list.nestedContainer(keyedBy: CodingKeys.self)
                leaves.append(try inner.decode(Leaf.self, forKey: .leaf))
            }
            let above = try container.superDecoder(forKey: .above).container(keyedBy: CodingKeys.self)
            leaves.append(try above.decode(Leaf.self, forKey: .leaf))
            let base = try container.superDecoder().container(keyedBy: CodingKeys.self)
            leaves.append(try base.decode(Leaf.self, forKey: .leaf))
            let other = try decoder.container(keyedBy: OtherKeys.self)
            leaves.append(try other.decode(Leaf.self, forKey: .other))
        }

        static let recordType = "Root"
        static let all = [1, 2, 3, 4, 1, 2].map { Leaf(id: $0) }
    }

    private func makeContainers(_ name: (String) -> String = { $0 }) async throws -> CountingDatabase {
        func leaf(_ number: Int) throws -> Record.Value { .map([name("leaf"): try Flat.reference("Leaf/\(number)")]) }
        let fields: [(String, Record.Value)] = [
            (name("id"), .int(1)), (name("map"), try leaf(1)), (name("list"), .list([try leaf(2), try leaf(3)])),
            (name("above"), try leaf(4)), ("super", try leaf(1)), (name("other"), try Flat.reference("Leaf/2")),
        ]
        let leaves = try (1...4).map { try Flat.record("Leaf/\($0)", [name("id"): .int($0)]) }
        return try await CountingDatabase(holding: [Flat.record("Root/1", Record.Fields(fields))] + leaves)
    }

    @Test func nestedContainersAndSuperDecodersLeadToRecords() async throws {
        let database = try await makeContainers()
        let id = try Record.ID("Root/1")
        let first = try await RecordDecoder().resolve(Containers.self, from: id, in: database)
        #expect(first.value.leaves == Containers.all)
        #expect(Set(database.asked).count == database.asked.count)
        database.forgetCalls()
        let second = try await RecordDecoder().resolve(Containers.self, from: id, in: database)
        #expect(second.value.leaves == Containers.all)
        #expect(second.callCount == 2)
        #expect(second.passCount == 1)
    }

    @Test func customStrategyAppliesToNestedContainersAndSuper() async throws {
        let database = try await makeContainers { "f_" + $0 }
        var decoder = RecordDecoder()
        decoder.coding.keyStrategy = .custom { "f_" + $0 }
        for _ in 1...2 {
            let root = try await decoder.decode(Containers.self, named: "1", in: database)
            #expect(root.leaves == Containers.all)
        }
    }

    class Base: Codable {
        var leaf: Leaf?
        init(leaf: Leaf?) { self.leaf = leaf }
    }

    final class Derived: Base, RecordRepresentable, Identifiable {
        var id = 1
        enum CodingKeys: CodingKey { case id }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            try super.init(from: container.superDecoder())
            id = try container.decode(Int.self, forKey: .id)
        }
        override init(leaf: Leaf?) { super.init(leaf: leaf) }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test(arguments: [KeyStrategy.unchanged, .snakeCase, .custom { "f_" + $0 }, .custom { $0.uppercased() }])
    func superOfARecordRoundTripsWithEveryStrategy(strategy: KeyStrategy) throws {
        let (encoder, decoder) = coders(keys: strategy)
        let graph = try encoder.encode(Derived(leaf: Leaf(id: 3)))
        #expect(try decoder.decode(Derived.self, from: graph).leaf == Leaf(id: 3))
    }

    @Test func valuesWhoseTypeIsKnownAtRunTimeAreFetched() async throws {
        struct Anything: RecordDecodable, DynamicRecordRepresentable {
            static let recordType = "Anything"
            var recordType: String
            var recordName: String
            var next: [Anything]
            enum CodingKeys: CodingKey { case next }
            init(from decoder: any Decoder) throws {
                let id = try #require(decoder.userInfo[.recordID] as? Record.ID)
                (recordType, recordName) = (id.type, id.name)
                next = try decoder.container(keyedBy: CodingKeys.self).decode([Anything].self, forKey: .next)
            }
        }
        let records = [
            try Flat.record("A/1", ["next": Flat.references(["B/1", "C/1"])]),
            try Flat.record("B/1", ["next": Flat.references(["C/2"])]),
            try Flat.record("C/1", ["next": Flat.references(["B/2"])]),
            try Flat.record("C/2", ["next": .list([])]),
            try Flat.record("B/2", ["next": .list([])]),
        ]
        let database = try await CountingDatabase(holding: records)
        let id = try Record.ID("A/1")
        let first = try await RecordDecoder().resolve(Anything.self, from: id, in: database)
        #expect(first.value.next.map(\.recordType) == ["B", "C"])
        #expect(first.value.next.flatMap(\.next).map(\.recordType) == ["C", "B"])
        #expect(Set(database.asked).count == database.asked.count)
        let second = try await RecordDecoder().resolve(Anything.self, from: id, in: database)
        #expect(second.callCount == 3)
        #expect(second.passCount == 1)
    }
}
