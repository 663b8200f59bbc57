import TestSupport
import Testing

@testable import NestedRecords

@Suite struct BytesOrderTests {
    @Test(arguments: 0..<20) func elementsAreInTheOrderOfTheirBytes(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Some are the beginning of others, also with zeros after it, and many begin with the same eight bytes.
        let beginnings: [[UInt8]] = [[], [0], Array(repeating: 0, count: 8), Array("12345678".utf8)]
        let all = (0..<100).map { _ in
            beginnings.randomElement(using: &random).map {
                $0
                    + (0..<Int.random(in: 0...10, using: &random)).map { _ in
                        [0, 1, 255].randomElement(using: &random) ?? 7
                    }
            } ?? []
        }
        var order = BytesOrder<[UInt8]>(capacity: Int(seed) * 10)
        for bytes in all { order.append(bytes, bytes) }
        #expect(
            order.take { $0.lexicographicallyPrecedes($1) }
                == all.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func stringsAreInTheOrderOfTheirUTF8() {
        let texts = [
            "b", "", "é", "e\u{301}", "a string that is long", "a string that is longer", "\u{FFFF}", "\u{10000}",
        ]
        var order = BytesOrder<String>(capacity: 0)
        for text in texts { order.append(text, text.utf8) }
        let expected = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(
            order.take { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { Array($0.utf8) }
                == expected.map { Array($0.utf8) })
    }
}
