import Testing

@testable import records

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2),
        ("ｆｕｌｌ", 8), ("ﾊﾝ", 2), ("　", 2), ("😀", 2), ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("🇩", 1), ("❤️", 2), ("❤", 1),
        ("1️⃣", 2), ("🏳️‍🌈", 2), ("⌚", 2), ("a\u{200b}b", 2), ("\u{feff}a", 1), ("«»–…", 4), ("Ωжשع", 4),
        ("นี้", 1), ("z̸̢̛̯", 1), ("𠀀", 2), ("\u{e000}", 1), ("\u{ad}", 1), ("\u{600}", 1), ("\n\u{1b}", 0),
    ])
    func widthIsThatOfATerminal(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(arguments: [
        ("abc", "abc"), ("a\nb", #"a\nb"#), ("a\r\nb", #"a\r\nb"#), ("\t", #"\t"#),
        ("\u{1b}[2J", #"\u{1b}[2J"#), ("\u{9b}2J", #"\u{9b}2J"#), ("\u{7f}\u{0}", #"\u{7f}\u{0}"#),
        ("a\u{202e}b", #"a\u{202e}b"#), ("\u{2028}", #"\u{2028}"#), ("👩‍👧 é", "👩‍👧 é"), (#"\n"#, #"\n"#),
        ("a\u{200b}\u{3164}\u{feff}\u{ad}b", #"a\u{200b}\u{3164}\u{feff}\u{ad}b"#), ("\u{e0041}", #"\u{e0041}"#),
        ("❤\u{fe0f} \u{645}\u{200c}\u{647}", "❤\u{fe0f} \u{645}\u{200c}\u{647}"),
    ])
    func nothingThatATerminalObeysIsShown(_ text: String, _ visible: String) {
        #expect(text.visible == visible)
        #expect(text.visible(within: 100) == visible)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("", 0, ""), ("", 3, ""),
        ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 2, "…"), ("日", 1, "…"),
        ("a👩‍👩‍👧‍👦b", 4, "a👩‍👩‍👧‍👦b"), ("a👩‍👩‍👧‍👦b", 3, "a…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("a\nb", 4, #"a\nb"#), ("a\nbc", 4, #"a\n…"#), ("a\nbc", 3, "a…"), ("abc\u{200d}", 3, "abc\u{200d}"),
        ("ab\u{200b}", 10, #"ab\u{200b}"#), ("ab\u{200b}", 9, "ab…"),
        // Escapes that the text already has: it is cut again.
        (#"ab\u{200b}"#, 10, #"ab\u{200b}"#), (#"ab\u{200b}c"#, 10, "ab…"), (#"ab\u{10ffff}"#, 11, "ab…"),
        (#"ab\u202ecd"#, 8, "ab…"), (#"ab\u202ecd"#, 9, #"ab\u202e…"#), (#"a\nbc"#, 4, #"a\n…"#), (#"a\nb"#, 2, "a…"),
        (#"a\u{}bcdefgh"#, 4, #"a\u…"#), (#"a\u{12345678}"#, 5, #"a\u{…"#), (#"C:\xyz"#, 4, #"C:\…"#),
    ])
    func longTextIsCutBetweenGraphemes(_ text: String, _ width: Int, _ expected: String) {
        #expect(text.visible(within: width) == expected)
    }

    @Test func cuttingLooksAtTheShownPartOnly() {
        var count = 0
        let characters = sequence(first: Character("x")) { _ in
            count += 1
            return "x"
        }
        #expect(characters.visible(within: 10) == "xxxxxxxxx…")
        #expect(count == 10)
    }
}
