import NestedRecords
import Testing

/// A key that is written a second time, as a nested container.
struct KeyWrittenTwiceTests {
    final class Token: Sendable {}

    struct Twice: RecordEncodable {
        static var recordType: String { "Twice" }
        var recordName: String { "twice" }

        enum CodingKeys: CodingKey { case key, inner, innermost }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .key)
            var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .key)
            var inner = nested.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
            try inner.encode(2, forKey: .innermost)
        }
    }

    @Test func isRefusedAndKeepsNothing() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "token"))
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            var encoder = RecordEncoder()
            encoder.userInfo[key] = strong
            let error = try #require(throws: RecordError.self) { try encoder.encode(Twice()) }
            #expect(error.code == .invalidKey)
        }
        #expect(token == nil)
    }
}
