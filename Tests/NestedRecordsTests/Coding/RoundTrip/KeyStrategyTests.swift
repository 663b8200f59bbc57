import NestedRecords
import TestSupport
import Testing

@Suite struct KeyStrategyTests {
    struct Names: RecordCodable, Equatable {
        var recordName: String { "names" }
        var postalCode = 1
        var imageURL = 2
        var URLString = 3
        var parseHTMLText = 4
        var _leading = 5
        var trailing_ = 6
        var item2Name = 7
        var x1 = 8
        var userIDs = 9
        var already_snake = 10
        var __twoWords__ = 11
        var aB = 12
        var ÉcoleName = 13
        var ABC = 14
    }

    static let snakeCase = [
        "postalCode": "postal_code", "imageURL": "image_url", "URLString": "url_string",
        "parseHTMLText": "parse_html_text", "_leading": "_leading", "trailing_": "trailing_",
        "item2Name": "item2_name", "x1": "x1", "userIDs": "user_i_ds", "already_snake": "already_snake",
        "__twoWords__": "__two_words__", "aB": "a_b", "ÉcoleName": "école_name", "ABC": "abc",
    ]

    static let strategies: [(name: String, strategy: KeyStrategy)] = [
        ("unchanged", .unchanged), ("snake case", .snakeCase), ("upper case", .custom { $0.uppercased() }),
        ("prefix", .custom({ "x." + $0 }, propertyName: { String($0.dropFirst(2)) })),
    ]

    private func check<Model: RecordCodable & Equatable>(_ model: Model, _ strategy: KeyStrategy) async throws {
        let (encoder, decoder) = coders(keys: strategy)
        let graph = try encoder.encode(model)
        #expect(try decoder.decode(Model.self, from: graph) == model)
        let database = InMemoryRecordDatabase()
        try await database.save(graph)
        #expect(try await decoder.decode(Model.self, from: graph.roots[0], in: database) == model)
    }

    @Test func snakeCaseFieldsHaveTheExpectedNames() throws {
        var encoder = RecordEncoder()
        encoder.coding.keyStrategy = .snakeCase
        let record = try #require(try encoder.encode(Names()).first)
        let expected: Set<String> = Set(Self.snakeCase.values)
        #expect(Set(record.fields.map(\.name)) == expected)
        #expect(record["image_url"] == .int(2))
        #expect(record["trailing_"] == .int(6))
    }

    @Test(arguments: strategies.indices)
    func propertiesComeBackUnderEveryStrategy(index: Int) async throws {
        try await check(Names(), Self.strategies[index].strategy)
    }

    enum Payload: Codable, Equatable {
        case imageURL(fileName: String)
        case URLString(Int)
        case parseHTMLText(_ leading: Int, trailing_: Int)
        case _leading
        case x1(Int)
        case item2Name(Int)
        case a_B(Int)
        case userDidTapOnTheLastItem(Int)
        case thisIsACaseWithAVeryLongNameIndeed(Int)
    }

    static let payloads: [Payload] = [
        .imageURL(fileName: "a"), .URLString(1), .parseHTMLText(1, trailing_: 2), ._leading, .x1(1), .item2Name(1),
        .a_B(1), .userDidTapOnTheLastItem(1), .thisIsACaseWithAVeryLongNameIndeed(1),
    ]

    @Test(arguments: payloads)
    func casesWithPayloadsNeedTheWayBack(payload: Payload) async throws {
        // A type that asks which keys there are cannot be answered without it.
        await #expect(throws: DecodingError.self) {
            try await check(Holder([payload]), .custom { $0.uppercased() + "!" })
        }
    }

    @Test(arguments: [0, 1, 3], payloads)
    func casesWithPayloadsComeBackUnderEveryStrategy(index: Int, payload: Payload) async throws {
        try await check(Holder([payload]), Self.strategies[index].strategy)
    }

    struct Dictionaries: Codable, Equatable {
        var byText = ["imageURL": 1, "image_url": 2, "IMAGEURL": 3, "": 4]
        var byNumber = [1: ["aB": 1]]
        var inList = [["imageURL": ["aB": 1]]]
        var byTag = [Tag(rawValue: "imageURL"): 1, Tag(rawValue: "image_url"): 2]
        var ofOptionals = ["imageURL": Int?.some(1), "aB": nil]
    }

    struct Tag: RawRepresentable, Codable, Hashable, CodingKeyRepresentable { var rawValue: String }

    @Test(arguments: strategies.indices)
    func keysOfDictionariesAreLeftAlone(index: Int) async throws {
        try await check(Holder(Dictionaries()), Self.strategies[index].strategy)
    }

    @Test(arguments: strategies.indices)
    func keysOfDictionariesThatAreHandedOnAreLeftAlone(index: Int) async throws {
        let (strategy, value) = (Self.strategies[index].strategy, ["imageURL": 1, "aB": 2])
        try await check(RecordOf(value), strategy)
        try await check(SingleValueRecordOf(value), strategy)
        try await check(Holder(UnderSuper(value)), strategy)
    }

    struct Parent: RecordCodable, Identifiable {
        var id = 1
        var numbers = [1: 2]
        var child = Child()
    }

    struct Child: RecordCodable, Identifiable {
        var id = 2
        var userName = "ada"
    }

    @Test func propertiesAreRenamedAfterADictionary() throws {
        let (encoder, _) = coders(keys: .snakeCase)
        let graph = try encoder.encode(Parent())
        #expect(graph.first { $0.id.type == "Child" }?.fields.map(\.name) == ["id", "user_name"])
    }
}
