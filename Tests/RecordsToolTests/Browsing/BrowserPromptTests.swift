import Testing

@testable import records

@Suite struct BrowserPromptTests {
    private func prompt(_ purpose: BrowserPrompt.Purpose, typing text: String) -> BrowserPrompt {
        var prompt = BrowserPrompt(purpose)
        for scalar in text.unicodeScalars { _ = prompt.handle(.character(scalar)) }
        return prompt
    }

    @Test func lastWordIsCompletedAsFarAsItIsCertain() {
        var line = prompt(.filter, typing: "born < 2010 and na")
        line.complete(with: ["name", "native", "born"])
        #expect(line.text == "born < 2010 and na" && line.candidates == ["name", "native"])
        _ = line.handle(.character("t"))
        line.complete(with: ["name", "native", "born"])
        #expect(line.text == "born < 2010 and native" && line.candidates.isEmpty)
        var id = prompt(.open, typing: "Book/the ")
        id.complete(with: ["Book/the one", "Book/the other"])
        #expect(id.text == "Book/the o")
    }

    @Test func keysEditTheLine() {
        var line = prompt(.search, typing: "adq")
        for key in [Key.backspace, .character("a"), .home, .character("x"), .delete, .right, .end, .left] {
            _ = line.handle(key)
        }
        #expect(line.text == "xda")
        _ = line.handle(.control("u"))
        #expect(line.text == "a")
    }

    @Test(arguments: [12, 40]) func lineAndCursorFitTheWindow(columns: Int) {
        let line = prompt(.filter, typing: String(repeating: "長い文字列", count: 20)).line(within: columns)
        #expect(line.text.displayWidth < columns && line.cursor <= columns)
    }

    @Test(.timeLimit(.minutes(60))) func longTextIsTypedInLinearTime() {
        var line = BrowserPrompt(.search)
        for _ in 0..<2_000 {
            _ = line.handle(.character("x"))
            _ = line.line(within: 80)
        }
        #expect(line.text.utf8.count == 2_000)
    }
}
