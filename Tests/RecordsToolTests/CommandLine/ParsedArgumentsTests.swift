import Testing

@testable import records

@Suite struct ParsedArgumentsTests {
    private func arguments(_ values: [String: [String]]) throws -> ParsedArguments {
        ParsedArguments(
            program: .sample, command: try #require(Program.sample.command(named: "dump")), console: .standard(),
            values: values)
    }

    private func error<Value>(_ body: () throws -> Value) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func valueOrDefaultIsRead() throws {
        #expect(try arguments(["format": ["csv"]]).text("format") == "csv")
        #expect(try arguments([:]).text("format") == "table")
        #expect(try arguments([:]).textIfPresent("into") == nil)
        #expect(try arguments([:]).texts("where") == [])
        #expect(try arguments(["where": ["a", "b"]]).texts("where") == ["a", "b"])
        #expect(try arguments([:]).flag("quiet") == false)
        #expect(try arguments(["quiet": [""]]).flag("quiet"))
    }

    @Test func missingValueIsAnError() throws {
        let arguments = try arguments([:])
        #expect(error { try arguments.text("into") } == "option '--into' is missing")
        #expect(error { try arguments.text("FILE") } == "FILE is missing")
        #expect(error { try arguments.integer("limit", in: 1...9) } == "option '--limit' is missing")
    }

    @Test(arguments: ["1", "10", "+7"])
    func integerOfTheRangeIsRead(_ text: String) throws {
        #expect(try arguments(["limit": [text]]).integer("limit", in: 1...10) == Int(text))
    }

    @Test(arguments: ["0", "11", "x", "", "1.0", " 1", "99999999999999999999", "-1"])
    func integerBeyondTheRangeIsAnError(_ text: String) throws {
        let arguments = try arguments(["limit": [text]])
        #expect(
            error { try arguments.integerIfPresent("limit", in: 1...10) }
                == "option '--limit' is an integer from 1 to 10, not '\(text)'")
    }

    @Test func openRangeIsNamedWithoutItsEnd() throws {
        let arguments = try arguments(["limit": ["0"]])
        #expect(
            error { try arguments.integer("limit", in: 1 ... .max) }
                == "option '--limit' is an integer from 1 on, not '0'")
        #expect(try self.arguments([:]).integerIfPresent("limit", in: 1...2) == nil)
    }

    @Test func undeclaredNameIsAnError() throws {
        let arguments = try arguments([:])
        #expect(error { try arguments.texts("colour") } == "'dump' has no option or argument 'colour'")
        #expect(error { try arguments.flag("format") } == "'dump' has no flag '--format'")
    }
}
