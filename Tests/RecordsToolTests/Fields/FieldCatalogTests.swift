@_spi(Engines) import NestedRecords
import Testing

@testable import records

@Suite struct FieldCatalogTests {
    private func catalog(_ paths: String..., types: [String] = []) throws -> FieldCatalog {
        FieldCatalog(
            try paths.map { text in
                var text = FilterText(text, owner: "x")
                guard case .path(let path) = try FilterSubject(&text) else { throw UsageError("no path") }
                return FieldCatalog.Name(types, path, of: "option '--where'")
            }, named: "input")
    }

    @Test func catalogIsCompleteWhenAllNamesWereMet() throws {
        var catalog = try catalog("a", "c")
        catalog.note(try ToolFolder.record(#"{"id":"A/1","fields":{"a":{"b":null}}}"#))
        #expect(!catalog.isComplete)
        catalog.note(try ToolFolder.record(#"{"id":"B/1","fields":{"c":null}}"#))
        #expect(catalog.isComplete)
        try catalog.finish()
    }

    @Test func fieldOfAnotherTypeDoesNotCount() throws {
        var catalog = try catalog("title", types: ["A"])
        catalog.note(try ToolFolder.record(#"{"id":"B/1","fields":{"title":1}}"#))
        catalog.note(try ToolFolder.record(#"{"id":"A/1","fields":{"titel":1}}"#))
        #expect(
            throws: UsageError(
                "option '--where': no record of the type A in input has a field 'title'; did you mean 'titel'?")
        ) { try catalog.finish() }
    }

    @Test func suggestionHasQuotesWhereTheyAreNeeded() throws {
        for (name, path, suggestion) in [
            ("first name", "'first nam'", "\"first name\""), ("a.b", "a.b", "\"a.b\""),
            ("say \\\"x\\\"", "'say \"y\"'", "'say \"x\"'"),
        ] {
            var catalog = try catalog(path)
            catalog.note(try ToolFolder.record(#"{"id":"A/1","fields":{"\#(name)":1}}"#))
            #expect {
                try catalog.finish()
            } throws: {
                "\($0)".hasSuffix("; did you mean '\(suggestion)'?")
            }
        }
    }

    @Test func partsOfLocationsAreSuggested() throws {
        var catalog = try catalog("place.latitud")
        catalog.note(try ToolFolder.record(#"{"id":"A/1","fields":{"place":{"$location":"1;2"}}}"#))
        #expect(
            throws: UsageError(
                "option '--where': no record in input has a field 'place.latitud'; did you mean 'place.latitude'?")
        ) { try catalog.finish() }
    }

    @Test func longNameIsCut() throws {
        var catalog = try catalog(Array(repeating: "a", count: 1_000).joined(separator: "."))
        catalog.note(try ToolFolder.record(#"{"id":"A/1","fields":{"b":1}}"#))
        #expect {
            try catalog.finish()
        } throws: {
            "\($0)".hasSuffix("a.a.a.…'")
        }
    }

    @Test func onlySoManyNamesAreKept() throws {
        var catalog = try catalog("nothing.like.this")
        for number in 0..<10_000 {
            catalog.note(try ToolFolder.record(#"{"id":"A/1","fields":{"a\#(number)":{"b":1}}}"#))
        }
        #expect(throws: UsageError.self) { try catalog.finish() }
        #expect(catalog.knownCount == 2_000)
    }
}
