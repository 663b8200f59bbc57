@_spi(Engines) import NestedRecords
import Testing

@testable import records

@Suite struct NameCheckTests {
    private func check(_ paths: String..., types: [String] = []) throws -> NameCheck {
        NameCheck(
            try paths.map { text in
                var text = FilterText(text, owner: "x")
                guard case .path(let path) = try FilterSubject(&text) else { throw UsageError("no path") }
                return NameUse(types: types, path: path, in: "where")
            }, input: "input")
    }

    @Test func checkIsCompleteWhenAllNamesWereMet() throws {
        var check = try check("a", "c")
        check.note(try ToolFolder.record(#"{"id":"A/1","fields":{"a":{"b":null}}}"#))
        #expect(!check.isComplete)
        check.note(try ToolFolder.record(#"{"id":"B/1","fields":{"c":null}}"#))
        #expect(check.isComplete)
        try check.finish()
    }

    @Test func fieldOfAnotherTypeDoesNotCount() throws {
        var check = try check("title", types: ["A"])
        check.note(try ToolFolder.record(#"{"id":"B/1","fields":{"title":1}}"#))
        check.note(try ToolFolder.record(#"{"id":"A/1","fields":{"titel":1}}"#))
        #expect(
            throws: UsageError(
                "option '--where': no record of the type A in input has a field 'title'; did you mean 'titel'?")
        ) { try check.finish() }
    }

    @Test func suggestionHasQuotesWhereTheyAreNeeded() throws {
        for (name, path, suggestion) in [
            ("first name", "'first nam'", "\"first name\""), ("a.b", "a.b", "\"a.b\""),
            ("say \\\"x\\\"", "'say \"y\"'", "'say \"x\"'"),
        ] {
            var check = try check(path)
            check.note(try ToolFolder.record(#"{"id":"A/1","fields":{"\#(name)":1}}"#))
            #expect {
                try check.finish()
            } throws: {
                "\($0)".hasSuffix("; did you mean '\(suggestion)'?")
            }
        }
    }

    @Test func partsOfLocationsAreSuggested() throws {
        var check = try check("place.latitud")
        check.note(try ToolFolder.record(#"{"id":"A/1","fields":{"place":{"$location":"1;2"}}}"#))
        #expect(
            throws: UsageError(
                "option '--where': no record in input has a field 'place.latitud'; did you mean 'place.latitude'?")
        ) { try check.finish() }
    }

    @Test func longNameIsCut() throws {
        var check = try check(Array(repeating: "a", count: 1_000).joined(separator: "."))
        check.note(try ToolFolder.record(#"{"id":"A/1","fields":{"b":1}}"#))
        #expect {
            try check.finish()
        } throws: {
            "\($0)".hasSuffix("a.a.a.…'")
        }
    }

    @Test func onlySoManyNamesAreKept() throws {
        var check = try check("nothing.like.this")
        for number in 0..<10_000 {
            check.note(try ToolFolder.record(#"{"id":"A/1","fields":{"a\#(number)":{"b":1}}}"#))
        }
        #expect(throws: UsageError.self) { try check.finish() }
        #expect(check.knownCount == 2_000)
    }
}
