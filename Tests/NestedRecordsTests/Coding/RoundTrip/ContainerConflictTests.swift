import NestedRecords
import TestSupport
import Testing

/// Containers of different kinds for one value, and one place written twice.
@Suite struct ContainerConflictTests {
    enum Key: CodingKey { case a, b }

    struct Writing: RecordEncodable {
        static var recordType: String { "Writing" }
        var recordName: String { "name" }
        var write: (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    struct Embedding: RecordEncodable {
        static var recordType: String { "Embedding" }
        var recordName: String { "name" }
        var inner: Inner

        struct Inner: Encodable {
            var write: (any Encoder) throws -> Void
            func encode(to encoder: any Encoder) throws { try write(encoder) }
        }
    }

    enum Kind: CaseIterable {
        case keyed, list, single

        func open(_ encoder: any Encoder) {
            switch self {
            case .keyed: _ = encoder.container(keyedBy: Key.self)
            case .list: _ = encoder.unkeyedContainer()
            case .single: _ = encoder.singleValueContainer()
            }
        }
    }

    @Test(arguments: Kind.allCases, Kind.allCases)
    func containersOfAValueMustBeOfOneKind(first: Kind, second: Kind) throws {
        let write: (any Encoder) throws -> Void = {
            first.open($0)
            second.open($0)
            // Whatever was handed out must be safe to write to, and the failure must stand although this is ignored.
            var keyed = $0.container(keyedBy: Key.self)
            try? keyed.encode([1], forKey: .a)
            var list = keyed.nestedUnkeyedContainer(forKey: .b)
            try? list.encode(1)
            var nested = list.nestedContainer(keyedBy: Key.self)
            try? nested.encodeNil(forKey: .a)
            try? 1.encode(to: nested.superEncoder())
        }
        // A single value container decides nothing before it is written to.
        let isLegal = first != .list && second != .list
        for model in [Embedding(inner: .init(write: write))] as [any RecordEncodable] + [Writing(write: write)] {
            guard !isLegal else {
                #expect(throws: Never.self) { try encode(model) }
                continue
            }
            let failure = CodingFailure.of { try encode(model) }
            #expect(failure?.kind == .invalidValue && failure?.path == (model is Embedding ? "inner" : ""))
            #expect(failure?.place.contains("/name") == true)
        }
    }

    private func encode(_ model: any RecordEncodable) throws -> RecordGraph {
        func open(_ model: some RecordEncodable) throws -> RecordGraph { try RecordEncoder().encode(model) }
        return try open(model)
    }

    static let doubles: [@Sendable (inout KeyedEncodingContainer<Key>) throws -> Void] = [
        { try $0.encode(2, forKey: .a) },
        { try $0.encodeNil(forKey: .a) },
        { try $0.encode([1], forKey: .a) },
        { _ = $0.nestedContainer(keyedBy: Key.self, forKey: .a) },
        { _ = $0.nestedUnkeyedContainer(forKey: .a) },
        { _ = $0.superEncoder(forKey: .a) },
    ]

    @Test(arguments: doubles.indices)
    func fieldWrittenTwiceWithDifferentContentIsRefused(index: Int) throws {
        let model = Writing {
            var container = $0.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            try? Self.doubles[index](&container)
        }
        let error = try #require(throws: RecordError.self) { try encode(model) }
        #expect(error.code == .invalidKey && error.key == "a")
        #expect(error.context.record?.description == "Writing/name")
        #expect(error.context.field == "a")
    }

    @Test(arguments: doubles.indices)
    func fieldWithANestedContainerIsNotOverwritten(index: Int) throws {
        let model = Writing {
            var container = $0.container(keyedBy: Key.self)
            let base = container.superEncoder(forKey: .a)
            try? Self.doubles[index](&container)
            try 5.encode(to: base)
        }
        let error = try #require(throws: RecordError.self) { try encode(model) }
        #expect(error.code == .invalidKey && error.key == "a")
    }

    @Test func singleValueBesideFieldsIsRefused() throws {
        for isSingleFirst in [true, false] {
            let model = Embedding(
                inner: .init {
                    var single = $0.singleValueContainer()
                    if isSingleFirst { try single.encode(1) }
                    var keyed = $0.container(keyedBy: Key.self)
                    try keyed.encode(1, forKey: .a)
                    try single.encode(1)
                })
            #expect(CodingFailure.of { try RecordEncoder().encode(model) }?.path == "inner")
        }
    }

    @Test func singleValueWrittenTwiceIsRefused() throws {
        let model = Embedding(
            inner: .init {
                var container = $0.singleValueContainer()
                try container.encode(1)
                try container.encode(1)
                try container.encode("x")
            })
        #expect(CodingFailure.of { try RecordEncoder().encode(model) }?.path == "inner")
    }

    @Test func nestedContainerOfAKeyThatIsWrittenIsRefusedAndKeepsNothing() throws {
        final class Token: Sendable {}
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var encoder = RecordEncoder()
            encoder.coding.userInfo[CodingUserInfoKey(rawValue: "token").unsafelyUnwrapped] = strong
            let writing = Writing {
                var container = $0.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
                var inner = nested.nestedContainer(keyedBy: Key.self, forKey: .a)
                try inner.encode(2, forKey: .b)
            }
            let error = try #require(throws: RecordError.self) { try encoder.encode(writing) }
            #expect(error.code == .invalidKey)
        }
        #expect(token == nil)
    }
}
