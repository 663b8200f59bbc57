import NestedRecords
import Testing

/// Containers of decoders that are used later than they should be.
@Suite struct KeptDecoderTests {
    enum First: CodingKey { case a, b }
    enum Second: CodingKey { case a, b }

    enum Keeps: CaseIterable { case decoder, keyed, firstOfTwoKeyed, nested, superDecoder }

    static let keeps = CodingUserInfoKey(rawValue: "keeps")

    /// Reads its text when it is asked to.
    struct Lazy: Decodable {
        var read: () throws -> String
        var child: () throws -> [Int]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: First.self)
            let key = try #require(KeptDecoderTests.keeps)
            switch decoder.userInfo[key] as? Keeps {
            case .decoder:
                read = { try decoder.container(keyedBy: First.self).decode(String.self, forKey: .a) }
                child = { try decoder.container(keyedBy: First.self).decode([Int].self, forKey: .b) }
            case .firstOfTwoKeyed:
                _ = try decoder.container(keyedBy: Second.self)
                fallthrough
            case .keyed, nil:
                read = { try container.decode(String.self, forKey: .a) }
                child = { try container.decode([Int].self, forKey: .b) }
            case .nested:
                let list = try container.nestedUnkeyedContainer(forKey: .b)
                read = { try container.decode(String.self, forKey: .a) }
                child = {
                    var list = list
                    return try [list.decode(Int.self), list.decode(Int.self)]
                }
            case .superDecoder:
                let a = try container.superDecoder(forKey: .a)
                let b = try container.superDecoder(forKey: .b)
                read = { try String(from: a) }
                child = { try [Int](from: b) }
            }
        }
    }

    struct Root: RecordDecodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var first: Lazy
        var second: Lazy
        var list: [Lazy]
        var textDuringDecoding: String?

        enum CodingKeys: CodingKey { case first, second, list }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            first = try container.decode(Lazy.self, forKey: .first)
            second = try container.decode(Lazy.self, forKey: .second)
            textDuringDecoding = try first.read()
            list = try container.decode([Lazy].self, forKey: .list)
        }
    }

    private func root(_ keeps: Keeps) throws -> Root {
        func lazy(_ text: String, _ number: Int64) -> Record.Value {
            .map(["a": .string(text), "b": .list([.int(number), .int(number + 1)])])
        }
        let record = try Record(
            id: Record.ID("Root/root"),
            fields: [
                "first": lazy("one", 1), "second": lazy("two", 2), "list": .list([lazy("three", 3), lazy("four", 4)]),
            ])
        var decoder = RecordDecoder()
        decoder.userInfo[try #require(Self.keeps)] = keeps
        return try decoder.decode(Root.self, from: RecordGraph([record]))
    }

    @Test(arguments: Keeps.allCases)
    func keptContainerReadsItsOwnValueDuringTheCall(keeps: Keeps) throws {
        #expect(try root(keeps).textDuringDecoding == "one")
    }

    @Test(arguments: Keeps.allCases)
    func keptContainerReadsItsOwnValueAfterTheCall(keeps: Keeps) throws {
        let root = try root(keeps)
        let all = [root.first, root.second] + root.list
        #expect(try all.map { try $0.read() } == ["one", "two", "three", "four"])
        #expect(try all.map { try $0.child() } == [[1, 2], [2, 3], [3, 4], [4, 5]])
    }
}
