import NestedRecords
import TestSupport
import Testing

/// A decoder that was kept may be used after the call, and goes when nobody keeps it any more.
@Suite struct KeptDecoderMemoryTests {
    final class Token: Sendable {}

    enum CodingKeys: CodingKey { case words }

    struct Lazy: RecordDecodable {
        static var recordType: String { "Lazy" }
        var recordName: String { "lazy" }
        var decoder: any Decoder

        init(from decoder: any Decoder) { self.decoder = decoder }
    }

    @Test(arguments: [false, true])
    func keptDecoderIsGoneWithItsKeeper(isUsed: Bool) throws {
        let graph = try RecordGraph([Flat.record("Lazy/lazy", ["words": .list([.string("hello")])])])
        let key = try #require(CodingUserInfoKey(rawValue: "token"))
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var decoder = RecordDecoder()
            decoder.userInfo[key] = strong
            let lazy = try decoder.decode(Lazy.self, from: graph)
            if isUsed {
                let container = try lazy.decoder.container(keyedBy: CodingKeys.self)
                #expect(try container.decode([String].self, forKey: .words) == ["hello"])
            }
        }
        #expect(token == nil)
    }
}
