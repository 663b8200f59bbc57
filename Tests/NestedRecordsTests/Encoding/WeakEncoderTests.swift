import NestedRecords
import Testing

/// An encoder that a value keeps weakly.
struct WeakEncoderTests {
    final class Keeper {
        weak var encoder: AnyObject?
    }

    struct Part: Encodable {
        var keeper: Keeper

        enum CodingKeys: CodingKey { case text }

        func encode(to encoder: any Encoder) throws {
            if let kept = keeper.encoder as? any Encoder {
                var container = kept.container(keyedBy: CodingKeys.self)
                try? container.encode("late", forKey: .text)
            }
            keeper.encoder = encoder as AnyObject
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("text", forKey: .text)
        }
    }

    struct Root: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var parts: [String: Part]
        var list: [Part]
    }

    @Test func writesToNoOtherValue() throws {
        let keeper = Keeper()
        let part = Part(keeper: keeper)
        let root = Root(parts: ["a": part, "b": part, "c": part], list: [part, part])
        let record = try #require(try RecordEncoder().encode(root).first)
        let text = Record.Value.map(["text": "text"])
        #expect(record["parts"] == .map(["a": text, "b": text, "c": text]))
        #expect(record["list"] == .list([text, text]))
    }
}
