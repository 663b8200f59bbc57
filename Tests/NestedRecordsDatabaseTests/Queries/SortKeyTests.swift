import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct SortKeyTests {
    /// Values of every kind of which many are the same or close to each other, and none is too long for a key.
    private func makeValues(_ count: Int, seed: UInt64) throws -> [Record.Value?] {
        var random = RandomRecord(seed: seed)
        let numbers: [Record.Value] = [
            .int(.max), .int(.max - 1), .int(.max - 511), .int(.max - 512), .int(.max - 513), .double(0x1p63),
            .double(0x1p63.nextDown), .int(.min), .double(-0x1p63), .double((-0x1p63).nextDown), .int(1 << 53 + 1),
            .double(0x1p53), .int(1 << 53), .double(0x1p53 + 2), .double(-0.0), .int(0), .double(.nan), .double(0.5),
        ]
        let texts: [Record.Value] = ["", "\0", "\u{1}", "\u{1}\u{1}", "\u{2}", "\0a", "a", "a\0", "ab", "a\u{1}b", "b"]
        let lists: [Record.Value] = [
            .list([]), .list([""]), .list(["", ""]), .list(["\u{1}"]), .list([.list([])]), .list([.list([]), .null]),
            .list([.list([.null])]), .map([:]), .map(["": .null]), .map(["": "", "a": .null]), .map(["a": .null]),
            .map(["a\u{1}": .null]), .list([.map([:])]), .list([.map([:]), .null]), .list([.map(["": .null])]),
        ]
        return try (0..<count).map { _ in
            switch Int.random(in: 0..<8, using: &random.generator) {
            case 0: nil
            case 1: random.generator.pick(numbers)
            case 2: random.generator.pick(texts)
            case 3: random.generator.pick(lists)
            default: try random.value(depth: random.generator.pick([0, 0, 1, 2]))
            }
        }
    }

    @Test func keysAreInTheOrderOfTheValues() throws {
        let seed = Sweep.seed
        let values = try makeValues(Sweep.count(200, whole: 1_000), seed: seed).filter {
            SortKey($0).text.utf8.count < 480
        }
        let keys = values.map { SortKey($0) }
        var pairs = 0
        for (left, leftKey) in zip(values, keys) {
            for other in Sweep.some(50, of: values.indices) {
                let byKey = leftKey == keys[other] ? 0 : leftKey < keys[other] ? -1 : 1
                let plain = PlainOrder.compare(left, values[other])
                try #require(
                    byKey == plain,
                    "seed \(seed): \(String(describing: left)) and \(String(describing: values[other])): \(byKey)")
                pairs += 1
            }
        }
        #expect(pairs >= (Sweep.isWhole ? 500_000 : 5_000))
    }

    @Test func textsOfKeysSortAsTheirBytes() throws {
        let values = try makeValues(300, seed: 7)
        for value in values {
            let key = SortKey(value)
            #expect(Array(key.text.utf8) == key.text.utf8.map { $0 })
            #expect(!key.text.utf8.contains(0))
        }
        let sorted = values.map { SortKey($0) }.sorted()
        let byText = sorted.shuffled().sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        #expect(byText == sorted)
    }

    @Test(
        arguments: [
            (nil, ""), (.null, "0"), (true, "1t"), (.double(.nan), "2"), (0, "380000000000000008000"),
            (.double(-1), "3400fffffffffffff8000"), (.int(.max), "3c3e00000000000007fff"), ("a\0", "5a\u{1}\u{2}"),
            (.bytes(Data([1, 255])), "601ff"), (.list(["a", 1]), "95a\u{1}\u{1}3bff00000000000008000\u{1}\u{1}"),
            (.map(["b": .null, "a": true]), "A5a\u{1}\u{1}1t\u{1}\u{1}5b\u{1}\u{1}0\u{1}\u{1}"),
        ] as [(Record.Value?, String)]
    )
    func keyHasTheDocumentedForm(value: Record.Value?, text: String) {
        #expect(SortKey(value).text == text)
    }

    @Test func longStringsAreCutInFrontOfAScalar() {
        let text = String(repeating: "a", count: 478) + "漢字"
        let key = SortKey(.string(text)).text
        #expect(key.hasPrefix("5" + String(repeating: "a", count: 478) + "\u{1}\u{4}"))
        #expect(key.utf8.count == 1 + 478 + 2 + 16)
        #expect(SortKey(.string(text + "x")) != SortKey(.string(text)))
        #expect(SortKey(.string(String(repeating: "a", count: 478))) < SortKey(.string(text)))
    }

    @Test func keysOfLongValuesAreShort() {
        let bytes = Data(repeating: 7, count: 100_000)
        let list = Record.Value.list(Array(repeating: "\u{1}é", count: 10_000))
        #expect(SortKey(.bytes(bytes)).text.utf8.count <= 500)
        #expect(SortKey(list).text.utf8.count <= 500)
        #expect(SortKey(.list([list, 1])) != SortKey(.list([list, 2])))
    }

    @Test func deeplyNestedValueHasAKey() async throws {
        let key = try await inThreadWithSmallStack {
            SortKey((0..<900).reduce(Record.Value.null) { value, _ in .list([value]) })
        }
        #expect(key.text.utf8.count <= 500)
    }

    @Test func largeNumbersAreOrderedAmongTheOthers() throws {
        struct Sizes: RecordEncodable, Identifiable {
            var id = "a"
            var large = UInt64.max
            var decimal = Decimal(string: "12345678901234567890.5")
        }
        let record = try #require(try RecordEncoder().encode(Sizes()).first)
        #expect(SortKey(record["large"]) > SortKey(.int(.max)))
        #expect(SortKey(record["large"]) < SortKey(.double(1e20)))
        #expect(SortKey(record["decimal"]) < SortKey(record["large"]))
        var values: [Record.Value] = [
            .int(.max), .number(digits: "9223372036854775808"), .number(digits: "9223372036854775809"),
            .number(digits: "9223372036854776832"), .number(digits: "9223372036854776833"),
            .number(digits: "18446744073709550591"), .number(digits: "18446744073709550592"),
            .number(digits: "18446744073709551614"), .number(digits: "18446744073709551615"), .double(0x1p64),
        ]
        #expect(SortKey(values[1]) == SortKey(.double(0x1p63)))
        for (value, next) in zip(values, values.dropFirst()) {
            #expect(SortKey(value) < SortKey(next), "\(value) and \(next)")
        }
        values.removeLast()
        for (position, value) in values.enumerated() {
            #expect(values.indices.filter { Operand(value).isEqual(to: values[$0]) } == [position])
        }
    }
}
