import NestedRecords
import Testing

@testable import records

@Suite struct TextPatternTests {
    private static let lines =
        #"{"id":"A/1","fields":{"s":"Stars","n":1,"tags":["sea","x"],"to":{"$ref":"B/1"}}}"# + "\n"
        + #"{"id":"A/2","fields":{"s":"a\nStar","tags":"sea","to":{"$ref":"B/2"}}}"# + "\n"
        + #"{"id":"A/3","fields":{"n":2,"tags":[]}}"# + "\n" + #"{"id":"B/1","fields":{"t":"Ümlaut"}}"# + "\n"
        + #"{"id":"B/2","fields":{"t":"x1"}}"# + "\n"

    @Test(arguments: [
        ("s matches \"^St\"", "1"), ("s MATCHES '(?m)^St'", "1 2"), ("s matches Star", "1 2"),
        ("s not matches '^St'", "2 3"), ("not s matches '^St'", "2 3"), ("not s not matches '^St'", "1"),
        ("tags matches '^se.$'", "1 2"), ("to.t matches '^\\p{Lu}'", "1"), ("to.t matches '\\d' or n = 2", "2 3"),
        ("to refers to B where (t matches 'ü' or t matches '(?i)ü')", "1"), ("@name matches '[12]'", "1 2"),
        ("n matches '1'", ""), ("s matches 'x' and n = 1", ""),
    ])
    func patternsFindParts(_ filter: String, _ names: String) throws {
        let folder = try ToolFolder()
        try folder.write(Self.lines, to: "a.jsonl")
        _ = try folder.output("records copy - a.records < a.jsonl")
        let escaped = filter.replacing("'", with: #"'\''"#)
        for input in ["a.records", "a.jsonl", "-"] {
            let run = try folder.run("records query \(input) A -w '\(escaped)' --ids", input: Self.lines)
            #expect(run.status == 0)
            #expect(run.output.split(separator: "\n").map { String($0.dropFirst(2)) }.joined(separator: " ") == names)
        }
    }

    @Test func patternForAnotherKindIsHinted() throws {
        let run = try ToolFolder().run("records query - A -w 'n matches x' --count", input: Self.lines)
        #expect(run.errors == "records: hint: A.n has only integers, and the condition is for strings\n")
    }

    @Test(arguments: [
        ("(a+)+$", String(repeating: "a", count: 40) + "b"), ("(.*)*x", String(repeating: "a", count: 30_000)),
        ("(a|aa)+$", String(repeating: "a", count: 60) + "b"),
    ])
    func hostilePatternIsAnError(_ text: String, _ value: String) throws {
        let pattern = try #require(TextPattern(text))
        let error = #expect(throws: UsageError.self) { try pattern.matches(.string(value)) }
        #expect(error.map { "\($0)" }?.hasPrefix("the pattern '\(text)' needs too many steps for a value of ") ?? false)
        #expect(try pattern.matches("a") == (text != "(.*)*x"))
    }

    @Test func longValuesAreSearched() throws {
        let value = String(repeating: "x", count: 1_000_000) + "y"
        #expect(try #require(TextPattern("y$")).matches(.string(value)))
        #expect(try !#require(TextPattern("z")).matches(.string(value)))
    }

    @Test(arguments: ["", "(", "a{1,1000}{1,1000}", "[", "*", String(repeating: "(", count: 500)])
    func invalidPatternIsRefused(_ text: String) { #expect(TextPattern(text) == nil) }

    @Test(arguments: [
        ("a(b", "(b"), ("a(b(c)", "(b(c)"), ("ü)b", ")b"), ("a(b))", ")"), ("[a", "[a"), ("(a[b)", "[b)"),
        ("[z-a]", "a]"), ("x(?i)**", "**"), ("x{2,1}", "{2,1}"), ("x{", "{"), ("a\\", "\\"),
        (#"\p{Lu}\p{No such}"#, #"\p{No such}"#),
        ("(?<name>x)\\k<none>", "\\k<none>"), ("[[:alpha:]&&[a-z]](", "("), (#"\x{41}\u0041[\]](?<=a)(?#c)+"#, "+"),
        (#"\Q(\E*)"#, ")"), ("a{1,1000}{1,1000}", "{1,1000}"),
    ])
    func mistakeHasItsPlace(_ text: String, _ rest: String) {
        #expect(TextPattern(text) == nil)
        #expect(String(decoding: text.utf8.dropFirst(TextPattern.mistake(in: text)), as: UTF8.self) == rest)
    }

    @Test func changesAndSelectionsTakePatterns() throws {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - a.records", input: Self.lines)
        #expect(try folder.output("records log a.records A -w 's matches ^St' 2>next | wc -l | tr -d ' '") == "1\n")
        #expect(
            try folder.output("records copy a.records b.records A -w \"s matches '^St'\"").hasPrefix(
                "1 record copied"))
    }
}
