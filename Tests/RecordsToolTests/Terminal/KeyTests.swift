import Testing

@testable import records

@Suite struct KeyTests {
    /// The keys of bytes that arrive in one piece.
    private func keys(_ text: String) -> [Key] {
        var bytes = Array(text.utf8)
        var keys: [Key] = []
        while let key = Key.take(from: &bytes, isAll: true) { keys.append(key) }
        return keys
    }

    @Test(arguments: [
        ("\u{1b}[A\u{1b}OB\u{1b}[5~\u{1b}[1;5H", [Key.up, .down, .pageUp, .home]),
        ("aé字\u{1F600}", [.character("a"), .character("é"), .character("字"), .character("\u{1F600}")]),
        ("\r\t\u{7f}\u{3}", [.enter, .tab, .backspace, .control("c")]), ("\u{1b}", [.escape]),
        ("\u{1b}[200~x\u{1b}x", [.unknown, .character("x"), .unknown]),
    ]) func bytesOfATerminalAreKeys(_ text: String, _ expected: [Key]) { #expect(keys(text) == expected) }

    @Test(arguments: ["\u{1b}[A", "字"]) func keyInTwoPiecesIsOneKey(_ text: String) {
        var bytes = Array(text.utf8.dropLast())
        #expect(Key.take(from: &bytes, isAll: false) == nil)
        bytes.append(text.utf8.last ?? 0)
        #expect(Key.take(from: &bytes, isAll: false) != nil)
        #expect(bytes.isEmpty)
    }

    @Test func damagedBytesAreUnknownKeys() {
        var bytes: [UInt8] = [0xFF, 0xE5, 0x41, 0xE5]
        var keys: [Key] = []
        while let key = Key.take(from: &bytes, isAll: true) { keys.append(key) }
        #expect(keys.last == .unknown && bytes.isEmpty)
    }
}
