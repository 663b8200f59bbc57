import Testing

@testable import records

@Suite struct SpellingTests {
    @Test(arguments: [
        ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("", "abc", 3), ("abc", "acb", 1), ("abc", "abxc", 1),
        ("abc", "ac", 1), ("kitten", "sitting", 3), ("dupm", "dump", 1),
    ])
    func distanceCountsEdits(_ first: String, _ second: String, _ distance: Int) {
        #expect(Spelling.distance(Array(first), Array(second)) == distance)
    }

    @Test(arguments: [
        ("staats", "stats"), ("verfy", "verify"), ("exprot", "export"), ("com", "compact"), ("tre", "tree"),
        ("STATS", "stats"),
    ])
    func nearestWordIsFound(_ word: String, _ expected: String) {
        let known = ["stats", "verify", "export", "import", "compact", "completions", "tree"]
        #expect(Spelling.nearest(to: word, in: known) == expected)
    }

    @Test(arguments: ["", "x", "--", "restructure", String(repeating: "stats", count: 1_000)])
    func farWordSuggestsNothing(_ word: String) {
        #expect(Spelling.nearest(to: word, in: ["stats", "--format", "verify"]) == nil)
    }
}
