import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct TextSearchTests {
    private func isFound(_ text: String, in string: String, ignoring ignored: RecordFilter.TextDifferences) -> Bool {
        TextSearch(text, ignoring: ignored).isFound(in: string)
    }

    /// As Python's `str.casefold` has them.
    @Test(
        arguments: [
            ("ß", "SS"), ("ẞ", "ss"), ("ς", "Σ"), ("ﬁ", "FI"), ("K", "\u{212A}"), ("İ", "i\u{307}"), ("ŉ", "ʼN"),
            ("ΐ", "Ι\u{308}\u{301}"), ("ǰ", "J\u{30C}"), ("Ǆ", "ǆ"), ("ſ", "S"), ("ᾳ", "ΑΙ"), ("Ꭰ", "ꭰ"), ("𐐀", "𐐨"),
        ])
    func stringsWithTheSameFoldingAreEqualWithoutCase(_ left: String, _ right: String) {
        #expect(isFound(left, in: right, ignoring: .case))
        #expect(isFound(right, in: left, ignoring: .case))
        #expect(isFound("x\(left)", in: "aX\(right)b", ignoring: .case))
        #expect(!isFound(left, in: right, ignoring: []))
    }

    @Test(
        arguments: [
            ("i", "ı"), ("I", "ı"), ("é", "e"), ("é", "E\u{301}"), ("o", "ø"), ("ss", "s"), ("µ", "m"),
        ])
    func otherStringsAreNotEqualWithoutCase(_ left: String, _ right: String) {
        #expect(!isFound(left, in: right, ignoring: .case))
    }

    @Test(
        arguments: [
            ("é", "e"), ("é", "e\u{301}"), ("e\u{301}", "é"), ("resume", "résumé"), ("Å", "A\u{30A}"),
            ("\u{212B}", "A"), ("ệ", "e"), ("й", "и"), ("ά", "α"), ("각", "각"),
        ])
    func accentsAreIgnoredInBothForms(_ text: String, _ string: String) {
        #expect(isFound(text, in: string, ignoring: .accents))
        #expect(isFound(text, in: "x\(string)y", ignoring: [.case, .accents]))
    }

    /// Strokes are no marks, case counts, and a Korean syllable is one letter.
    @Test(arguments: [("o", "ø"), ("l", "ł"), ("E", "é"), ("가", "각"), ("ae", "æ")])
    func otherStringsAreNotEqualWithoutAccents(_ text: String, _ string: String) {
        #expect(!isFound(text, in: string, ignoring: .accents))
    }

    /// Foundation compares whole characters, which these have one scalar each of.
    ///
    /// Without regard to case it also finds "é" in
    /// "eΣ", but not in "e", so Greek letters are left out.
    @Test(arguments: Sweep.seeds(4, whole: 100))
    func latinTextIsFoundAsByFoundation(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let letters = "aAäÄàÀeEéÉêxXyzZçÇñÑ ".map { String($0) }
        func word(_ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &random)).map { _ in random.pick(letters) }.joined()
        }
        for _ in 0..<2_000 {
            let (string, text) = (word(0...12), word(1...3))
            for (ignored, options) in [
                ([], .literal), (.case, .caseInsensitive), (.accents, .diacriticInsensitive),
                ([.case, .accents], [.caseInsensitive, .diacriticInsensitive]),
            ] as [(RecordFilter.TextDifferences, String.CompareOptions)] {
                #expect(
                    isFound(text, in: string, ignoring: ignored) == (string.range(of: text, options: options) != nil),
                    "\(text) in \(string), \(ignored)")
                #expect(
                    TextSearch(text, ignoring: ignored).isPrefix(of: string)
                        == (string.range(of: text, options: options.union(.anchored)) != nil),
                    "\(text) before \(string), \(ignored)")
            }
        }
    }

    /// Strings of letters before the first combining mark are mapped in another way than those with other scalars.
    @Test(arguments: [.case, .accents, [.case, .accents]] as [RecordFilter.TextDifferences])
    func lettersAreMappedAsBesideOtherScalars(_ ignored: RecordFilter.TextDifferences) {
        var random = SplitMix64(seed: Sweep.seed)
        let letters = (1..<0x300).compactMap(Unicode.Scalar.init)
        for letter in letters {
            let near = [random.pick(letters), letter, random.pick(letters)].map { String($0) }.joined()
            #expect(isFound("\(near)", in: "\(near)中", ignoring: ignored), "\(letter.value)")
            #expect(isFound("中\(near)中", in: "中\(near)中", ignoring: ignored), "\(letter.value)")
            let other = String(random.pick(letters))
            #expect(
                isFound(near, in: other, ignoring: ignored) == isFound(near, in: "\(other)中", ignoring: ignored),
                "\(near) in \(other)")
        }
    }

    @Test func textOfASCIIIsFoundAsInOtherText() {
        for (text, string) in [("", "abc"), ("B", "abc"), ("ABCD", "abc"), ("c", "abc"), ("é", "abc"), ("ß", "ASSE")] {
            for ignored in [[], .case, .accents, [.case, .accents]] as [RecordFilter.TextDifferences] {
                #expect(
                    isFound(text, in: string, ignoring: ignored)
                        == isFound(text, in: string + "中", ignoring: ignored))
                #expect(
                    TextSearch(text, ignoring: ignored).isPrefix(of: string)
                        == TextSearch(text, ignoring: ignored).isPrefix(of: string + "中"))
            }
        }
    }

    @Test func prefixIsARangeOfAnIndexUnlessDifferencesAreIgnored() throws {
        let index = FieldIndex("Sample", by: "name")
        for (filter, isCovered) in [
            (RecordFilter.hasPrefix("name", "Ab"), true), (.hasPrefix("name", "Ab", ignoring: .case), false),
            (.hasPrefix("name", "Ab", ignoring: .accents), false),
        ] {
            let query = RecordQuery("Sample", where: filter, order: [RecordOrder("name")], limit: 5)
            let plan = try QueryPlan(query, indexes: [index])
            #expect(plan.isCovered == isCovered && plan.isOrdered)
            #expect(plan.words(for: query).utf8.firstRange(of: "Reads 1 range".utf8) != nil)
        }
    }
}
