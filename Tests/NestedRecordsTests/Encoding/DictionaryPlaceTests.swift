@_spi(Engines) import NestedRecords
import Testing

/// Errors in dictionaries name the entry, whatever the type of the keys.
@Suite struct DictionaryPlaceTests {
    struct Failure: Error {
        let key: String
    }

    final class Counter { var count = 0 }

    /// Fails where it is encoded as the second one.
    struct Element: Encodable {
        var key: String
        var counter: Counter

        func encode(to encoder: any Encoder) throws {
            counter.count += 1
            if counter.count == 2 { throw Failure(key: key) }
            var container = encoder.singleValueContainer()
            try container.encode(key)
        }
    }

    enum Name: String, Codable, CodingKeyRepresentable, CaseIterable { case first, second, third }

    struct Root<Entries: Encodable>: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var entries: Entries
    }

    private func check(_ root: some RecordEncodable) throws {
        let error = try #require(throws: EncodingError.self) { try RecordEncoder().encode(root) }
        guard case .invalidValue(_, let context) = error else { return }
        let failure = try #require(context.underlyingError as? Failure)
        #expect(context.codingPath.map(\.stringValue) == ["entries", failure.key])
    }

    @Test func keysOfEveryTypeAreNamed() throws {
        func expect<Key: Hashable & Encodable>(_ keys: [Key], _ text: (Key) -> String) throws {
            let counter = Counter()
            let entries = keys.map { ($0, Element(key: text($0), counter: counter)) }
            try check(Root(entries: Dictionary(uniqueKeysWithValues: entries)))
        }
        try expect(["a", "b", "c"]) { $0 }
        try expect([1, 2, 3]) { "\($0)" }
        try expect(Name.allCases) { $0.rawValue }
    }
}
