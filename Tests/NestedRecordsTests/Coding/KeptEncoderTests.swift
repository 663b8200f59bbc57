import NestedRecords
import Testing

/// Encoders and containers that are used when their value is done.
@Suite struct KeptEncoderTests {
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

    struct Failure: Error {}

    enum Place: CaseIterable { case value, record, failedValue }

    struct KeeperRecord: RecordEncodable {
        static var recordType: String { "Keeper" }
        var recordName: String { "keeper" }
        var keeper: Keeper
        func encode(to encoder: any Encoder) throws { try keeper.encode(to: encoder) }
    }

    struct FailingKeeper: Encodable {
        var keeper: Keeper
        func encode(to encoder: any Encoder) throws {
            try keeper.encode(to: encoder)
            throw Failure()
        }
    }

    /// Writes to what was kept, in the middle of writing itself.
    struct Meddler: Encodable {
        var shelf: Shelf

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: First.self)
            try container.encode(2, forKey: .a)
            for write in shelf.writes { #expect(throws: EncodingError.self) { try write("late") } }
        }
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var keeper: Keeper
        var place: Place

        enum CodingKeys: CodingKey { case keeper, meddler, last }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch place {
            case .value: try container.encode(keeper, forKey: .keeper)
            case .record: try container.encode(KeeperRecord(keeper: keeper), forKey: .keeper)
            case .failedValue: try? container.encode(FailingKeeper(keeper: keeper), forKey: .keeper)
            }
            try container.encode(Meddler(shelf: keeper.shelf), forKey: .meddler)
            try container.encode([3], forKey: .last)
        }
    }

    @Test(arguments: Keeps.allCases, Place.allCases)
    func laterWritesAreRefusedAndReachNoValue(keeps: Keeps, place: Place) throws {
        let shelf = Shelf()
        let graph = try RecordEncoder().encode(Root(keeper: Keeper(keeps: keeps, shelf: shelf), place: place))
        let record = try #require(graph.last)
        #expect(record["meddler"] == .map(["a": .int(2)]))
        #expect(record["last"] == .list([.int(3)]))
        #expect((record["keeper"] == nil) == (place == .failedValue))
        #expect(!"\(graph)".contains("late"))
        let write = try #require(shelf.writes.first)
        #expect(throws: EncodingError.self) { try write("late") }
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

    final class Token: Sendable {}

    @Test func nestedContainersOfIgnoredPropertiesAreGoneAfterTheCall() throws {
        struct Ignoring: RecordEncodable {
            static let schema = RecordSchema(ignoring: ["a"])
            var recordName: String { "lazy" }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: First.self)
                var outer = container.nestedUnkeyedContainer(forKey: .a)
                var inner = outer.nestedUnkeyedContainer()
                try inner.encode("hello")
            }
        }
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var encoder = RecordEncoder()
            encoder.coding.userInfo[CodingUserInfoKey(rawValue: "token").unsafelyUnwrapped] = strong
            #expect(try encoder.encode(Ignoring()).count == 1)
        }
        #expect(token == nil)
    }

    final class WeakShelf {
        weak var encoder: AnyObject?
    }

    struct Part: Encodable {
        var shelf: WeakShelf

        enum PartKeys: CodingKey { case text }

        func encode(to encoder: any Encoder) throws {
            if let kept = shelf.encoder as? any Encoder {
                var container = kept.container(keyedBy: PartKeys.self)
                try? container.encode("late", forKey: .text)
            }
            shelf.encoder = encoder as AnyObject
            var container = encoder.container(keyedBy: PartKeys.self)
            try container.encode("text", forKey: .text)
        }
    }

    struct Parts: RecordEncodable {
        static var recordType: String { "Parts" }
        var recordName: String { "root" }
        var parts: [String: Part]
        var list: [Part]
    }

    @Test func encoderThatIsKeptWeaklyWritesToNoOtherValue() throws {
        let shelf = WeakShelf()
        let part = Part(shelf: shelf)
        let root = Parts(parts: ["a": part, "b": part, "c": part], list: [part, part])
        let record = try #require(try RecordEncoder().encode(root).first)
        let text = Record.Value.map(["text": "text"])
        #expect(record["parts"] == .map(["a": text, "b": text, "c": text]))
        #expect(record["list"] == .list([text, text]))
    }
}
