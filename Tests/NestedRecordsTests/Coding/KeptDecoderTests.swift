import NestedRecords
import TestSupport
import Testing

/// Decoders and containers that are used when their value is done: types that read later, once they know what to read.
@Suite struct KeptDecoderTests {
    enum First: CodingKey { case a, b }
    enum Second: CodingKey { case a, b }

    enum Keeps: CaseIterable { case decoder, keyed, firstOfTwoKeyed, nested, nestedOfDecoder, superDecoder }

    static let keeps = CodingUserInfoKey(rawValue: "keeps").unsafelyUnwrapped

    /// Numbers that know where they are read.
    struct Numbers: Decodable, Equatable {
        var numbers: [Int]
        var path: String

        init(from decoder: any Decoder) throws {
            path = decoder.codingPath.text
            numbers = try [Int](from: decoder)
        }
    }

    /// Reads its content when it is asked to.
    struct Lazy: Decodable {
        var text: () throws -> String
        var numbers: () throws -> Numbers

        init(from decoder: any Decoder) throws {
            struct Payload: Decodable { var b: Numbers }
            let container = try decoder.container(keyedBy: First.self)
            text = { try container.decode(String.self, forKey: .a) }
            switch decoder.userInfo[KeptDecoderTests.keeps] as? Keeps {
            case .decoder:
                text = { try decoder.container(keyedBy: First.self).decode(String.self, forKey: .a) }
                numbers = { try decoder.container(keyedBy: First.self).decode(Payload.self, forKey: .b).b }
            case .firstOfTwoKeyed:
                _ = try decoder.container(keyedBy: Second.self)
                fallthrough
            case .keyed, nil:
                numbers = { try container.decode(Payload.self, forKey: .b).b }
            case .nested:
                let nested = try container.nestedContainer(keyedBy: First.self, forKey: .b)
                numbers = { try nested.decode(Numbers.self, forKey: .b) }
            case .nestedOfDecoder:
                numbers = {
                    try decoder.container(keyedBy: First.self).nestedContainer(keyedBy: First.self, forKey: .b)
                        .decode(Numbers.self, forKey: .b)
                }
            case .superDecoder:
                let a = try container.superDecoder(forKey: .a)
                let b = try container.superDecoder(forKey: .b)
                text = { try String(from: a) }
                numbers = { try b.container(keyedBy: First.self).decode(Numbers.self, forKey: .b) }
            }
        }
    }

    struct Root: RecordDecodable {
        var recordName: String { "root" }
        var lazy: [Lazy]
        var textDuringDecoding: String

        enum CodingKeys: CodingKey { case first, list }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let first = try container.decode(Lazy.self, forKey: .first)
            textDuringDecoding = try first.text()
            lazy = [first] + (try container.decode([Lazy].self, forKey: .list))
        }
    }

    private func root(_ keeps: Keeps, last: Record.Value = 4) throws -> Root {
        func lazy(_ text: String, _ number: Record.Value) -> Record.Value {
            ["a": .string(text), "b": ["b": [1, number]]]
        }
        let record = try Flat.record(
            "Root/root", ["first": lazy("one", 2), "list": .list([lazy("two", 3), lazy("three", last)])])
        var decoder = RecordDecoder()
        decoder.coding.userInfo[Self.keeps] = keeps
        return try decoder.decode(Root.self, from: RecordGraph([record]))
    }

    @Test(arguments: Keeps.allCases)
    func keptContainerReadsItsOwnValueDuringAndAfterTheCall(keeps: Keeps) throws {
        let root = try root(keeps)
        #expect(root.textDuringDecoding == "one")
        #expect(try root.lazy.map { try $0.text() } == ["one", "two", "three"])
        let numbers = try root.lazy.map { try $0.numbers() }
        #expect(numbers.map(\.numbers) == [[1, 2], [1, 3], [1, 4]])
        #expect(numbers.map(\.path) == ["first.b.b", "list.0.b.b", "list.1.b.b"])
    }

    @Test(arguments: Keeps.allCases) func errorInAValueThatIsReadLaterHasItsPath(keeps: Keeps) throws {
        let lazy = try root(keeps, last: .bool(true)).lazy[2]
        let failure = CodingFailure.of { try lazy.numbers() }
        #expect(failure?.kind == .typeMismatch && failure?.path == "list.1.b.b.1")
    }

    final class Token: Sendable {}

    @Test(arguments: [false, true]) func keptDecoderIsGoneWithItsKeeper(isUsed: Bool) throws {
        struct Keeper: RecordDecodable {
            var recordName: String { "keeper" }
            var decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }
        let graph = try RecordGraph([Flat.record("Keeper/keeper", ["a": [["hello"]], "b": ["hello"]])])
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var decoder = RecordDecoder()
            decoder.coding.userInfo[CodingUserInfoKey(rawValue: "token").unsafelyUnwrapped] = strong
            let keeper = try decoder.decode(Keeper.self, from: graph)
            if isUsed {
                let container = try keeper.decoder.container(keyedBy: First.self)
                #expect(try container.decode([String].self, forKey: .b) == ["hello"])
                var outer = try container.nestedUnkeyedContainer(forKey: .a)
                var inner = try outer.nestedUnkeyedContainer()
                #expect(try inner.decode(String.self) == "hello")
            }
        }
        #expect(token == nil)
    }
}
