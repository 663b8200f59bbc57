import NestedRecords
import Testing

/// Containers that are used later than they should be.
@Suite struct KeptContainerTests {
    enum First: CodingKey { case a, b }
    enum Second: CodingKey { case a, b }

    enum Keeps: CaseIterable {
        case encoder, keyed, firstOfTwoKeyed, unkeyed, single, nested, nestedUnkeyed, superEncoder
    }

    /// Where a value leaves its containers for others.
    final class Shelf {
        var writes: [(String) throws -> Void] = []
    }

    struct Keeper: Encodable {
        var keeps: Keeps
        var shelf: Shelf

        func encode(to encoder: any Encoder) throws {
            switch keeps {
            case .encoder:
                var container = encoder.container(keyedBy: First.self)
                try container.encode(1, forKey: .a)
                shelf.writes.append {
                    var container = encoder.container(keyedBy: First.self)
                    try container.encode($0, forKey: .b)
                }
            case .keyed, .firstOfTwoKeyed:
                var container = encoder.container(keyedBy: First.self)
                try container.encode(1, forKey: .a)
                if keeps == .firstOfTwoKeyed {
                    // What a derived class does when its base class writes to the same encoder.
                    var other = encoder.container(keyedBy: Second.self)
                    try other.encode(1, forKey: .a)
                }
                shelf.writes.append { try container.encode($0, forKey: .b) }
            case .unkeyed:
                var container = encoder.unkeyedContainer()
                shelf.writes.append { try container.encode($0) }
            case .single:
                var container = encoder.singleValueContainer()
                shelf.writes.append { try container.encode($0) }
            case .nested:
                var container = encoder.container(keyedBy: First.self)
                var nested = container.nestedContainer(keyedBy: First.self, forKey: .a)
                shelf.writes.append { try nested.encode($0, forKey: .b) }
            case .nestedUnkeyed:
                var container = encoder.unkeyedContainer()
                var nested = container.nestedUnkeyedContainer()
                shelf.writes.append { try nested.encode($0) }
            case .superEncoder:
                var container = encoder.container(keyedBy: First.self)
                let superEncoder = container.superEncoder()
                shelf.writes.append { try $0.encode(to: superEncoder) }
            }
        }
    }

    /// Writes to whatever was kept, in the middle of writing itself.
    struct Meddler: Encodable {
        var shelf: Shelf

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: First.self)
            try container.encode(2, forKey: .a)
            for write in shelf.writes { try? write("late") }
        }
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var keeper: Keeper
        var meddler: Meddler
        var last = [3]
    }

    @Test(arguments: Keeps.allCases)
    func laterWritesDoNotReachOtherValues(keeps: Keeps) throws {
        let shelf = Shelf()
        let root = Root(keeper: Keeper(keeps: keeps, shelf: shelf), meddler: Meddler(shelf: shelf))
        let record = try #require(try RecordEncoder().encode(root).first)
        #expect(record["meddler"] == .map(["a": .int(2)]))
        #expect(record["last"] == .list([.int(3)]))
        #expect(!"\(record)".contains("late"))
    }

    @Test(arguments: Keeps.allCases)
    func writesAfterTheCallThrow(keeps: Keeps) throws {
        let shelf = Shelf()
        let graph = try RecordEncoder().encode([Holding(keeper: Keeper(keeps: keeps, shelf: shelf))])
        let before = graph[0]
        let write = try #require(shelf.writes.first)
        let error = try #require(throws: EncodingError.self) { try write("late") }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.debugDescription.contains("after its value was encoded"))
        #expect(graph[0] == before)
    }

    struct Holding: RecordEncodable {
        static var recordType: String { "Holding" }
        var recordName: String { "root" }
        var keeper: Keeper
    }

    struct KeepingEncoder: RecordEncodable {
        static var recordType: String { "KeepingEncoder" }
        var recordName: String { "root" }
        var keep: (any Encoder) -> Void
        func encode(to encoder: any Encoder) throws { keep(encoder) }
    }

    @Test func containersMadeAfterTheCallRefuseEveryWrite() throws {
        var kept: (any Encoder)?
        let graph = try RecordEncoder().encode(KeepingEncoder { kept = $0 })
        let encoder = try #require(kept)
        var keyed = encoder.container(keyedBy: First.self)
        var list = encoder.unkeyedContainer()
        var single = encoder.singleValueContainer()
        var nested = keyed.nestedContainer(keyedBy: First.self, forKey: .a)
        var nestedList = list.nestedUnkeyedContainer()
        let base = keyed.superEncoder()
        #expect(throws: EncodingError.self) { try keyed.encode([1], forKey: .a) }
        #expect(throws: EncodingError.self) { try keyed.encodeNil(forKey: .a) }
        #expect(throws: EncodingError.self) { try list.encode(1) }
        #expect(throws: EncodingError.self) { try single.encodeNil() }
        #expect(throws: EncodingError.self) { try nested.encode(1, forKey: .b) }
        #expect(throws: EncodingError.self) { try nestedList.encode(contentsOf: [1]) }
        #expect(throws: EncodingError.self) { try "late".encode(to: base) }
        #expect(graph[0].fields == [:])
    }
}
