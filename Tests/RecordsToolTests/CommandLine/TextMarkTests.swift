import Testing

@testable import records

@Suite struct TextMarkTests {
    @Test(arguments: [
        ("0123456789abcdefghij", 0, ["  0123456789abcde…", "  ^"]),
        ("0123456789abcdefghij", 12, ["  …56789abcdefghij", "          ^"]),
        ("0123456789abcdefghij", 20, ["  …56789abcdefghij", "                  ^"]),
        ("漢字漢字漢字漢字漢字x", 30, ["  …字漢字漢字漢字x", "                 ^"]),
        ("a\u{1b}b", 2, ["  a\\u{1b}b", "         ^"]), ("", 0, ["  ", "  ^"]), ("a\nb", 2, []),
    ])
    func textIsCutAroundTheCaret(_ text: String, _ offset: Int, _ lines: [String]) {
        #expect(TextMark(Array(text.utf8), at: offset).lines(within: 19) == lines)
    }

    @Test(arguments: [0, 1, 5, 40, 80]) func linesFitTheTerminal(_ width: Int) {
        for text in [String(repeating: "漢", count: 100), String(repeating: "a ", count: 50_000)] {
            for offset in [0, 3, 99, 299, 100_000] {
                for line in TextMark(Array(text.utf8), at: offset).lines(within: width) {
                    #expect(line.displayWidth <= max(width, 7))
                }
            }
        }
    }
}
