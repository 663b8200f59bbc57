import NestedRecords
import TestSupport
import Testing

/// Nested levels that were made after their value was done, or that nothing is written from, go too.
@Suite struct KeptNestedMemoryTests {
    final class Token: Sendable {}

    enum CodingKeys: CodingKey { case words }

    struct Lazy: RecordCodable {
        static var recordType: String { "Lazy" }
        static let ignoredProperties: Set<String> = ["words"]
        var recordName: String { "lazy" }
        var decoder: (any Decoder)?

        init() {}
        init(from decoder: any Decoder) { self.decoder = decoder }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var outer = container.nestedUnkeyedContainer(forKey: .words)
            var inner = outer.nestedUnkeyedContainer()
            try inner.encode("hello")
        }
    }

    enum LooseKeys: CodingKey { case lists }

    @Test func nestedContainersOfKeptDecoderAreGoneWithIt() throws {
        let graph = try RecordGraph([Flat.record("Lazy/lazy", ["lists": .list([.list([.string("hello")])])])])
        let key = try #require(CodingUserInfoKey(rawValue: "token"))
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var decoder = RecordDecoder()
            decoder.userInfo[key] = strong
            let kept = try #require(try decoder.decode(Lazy.self, from: graph).decoder)
            var outer = try kept.container(keyedBy: LooseKeys.self).nestedUnkeyedContainer(forKey: .lists)
            var inner = try outer.nestedUnkeyedContainer()
            #expect(try inner.decode(String.self) == "hello")
        }
        #expect(token == nil)
    }

    @Test func nestedContainersOfIgnoredPropertiesAreGoneAfterTheCall() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "token"))
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var encoder = RecordEncoder()
            encoder.userInfo[key] = strong
            #expect(try encoder.encode(Lazy()).count == 1)
        }
        #expect(token == nil)
    }
}
