import Foundation
import NestedRecords
import Testing

@testable import records

/// Which records the tool makes of nested JSON without any option.
@Suite struct GuessTests {
    private func document(_ json: String, _ change: (inout GuessOptions) -> Void = { _ in }) throws -> GuessedDocument {
        var options = GuessOptions(path: "shop.json")
        change(&options)
        return try GuessedDocument(Array(json.utf8), of: "shop.json", options)
    }

    /// The IDs of the records without that of the document.
    private func ids(_ json: String, _ change: (inout GuessOptions) -> Void = { _ in }) throws -> [String] {
        var ids: [String] = []
        try document(json, change).forEachRecord { ids.append("\($0.id)") }
        return Array(ids.dropFirst())
    }

    @Test func timeForManyKindsDoesNotGrowWithTheirDepth() throws {
        let elements = (0..<1_500).map { #"{"id":"\#($0)","f\#($0)":[{"id":"b\#($0)","y":1}]}"# }
        func time(atDepth depth: Int) throws -> Double {
            let begin = String(repeating: #"{"k":"#, count: depth) + #"{"l":["#
            let json = begin + elements.joined(separator: ",") + "]}" + String(repeating: "}", count: depth)
            let survey = Survey(try JSONTree(Array(json.utf8)), findsMaps: true)
            let start = try threadTime()
            let types = TypeGuess(survey, GuessOptions()).types
            #expect(types.count > 1_000)
            return try threadTime() - start
        }
        _ = try time(atDepth: 1)
        let (near, deep) = (try time(atDepth: 10), try time(atDepth: 180))
        #expect(deep < 3 * near, "\(deep) and \(near) seconds")
    }

    /// The seconds that this thread has run, whatever else the machine does.
    private func threadTime() throws -> Double {
        var time = timespec()
        try #require(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func anEnvelopeIsNotARecord() throws {
        #expect(try ids(#"{"cities": [{"id": 1}], "people": [{"id": "a"}]}"#) == ["City/1", "Person/a"])
    }

    @Test func scalarsOfAnEnvelopeAreTheRecordOfTheFile() throws {
        #expect(try ids(#"{"version": 2, "cities": [{"id": 1}]}"#) == ["City/1", "Document/shop"])
    }

    @Test func rootWithAnIdentifierHasTheTypeOfTheFile() throws {
        #expect(try ids(#"{"id": "x", "n": 1}"#) == ["Shop/x"])
    }

    @Test(arguments: [#"[{"a": 1}, {"a": 2}]"#, "{\"a\": 1}\n{\"a\": 2}\n"])
    func rootsWithoutIdentifiersAreNamedByTheirPositions(_ json: String) throws {
        #expect(try ids(json) == ["Shop/1", "Shop/2"])
    }

    @Test(arguments: ["{}", "[]", "1", "\"x\"", "null", "[1, 2]", "[[1], [2]]", #"{"a": {"b": 1}}"#])
    func whatHasNoRecordsIsOneRecord(_ json: String) throws {
        #expect(try ids(json) == ["Document/shop"])
    }

    @Test func keysWithLikeObjectsAreOneType() throws {
        let book = #"{"id": 1, "title": "a", "year": 2}"#
        let other = #"{"id": 2, "title": "b", "year": 2}"#
        #expect(try ids(#"{"books": [\#(book)], "reads": [\#(other), \#(book)]}"#) == ["Book/1", "Book/2"])
    }

    @Test func objectsWithOneIdentifierAndOtherContentAreTwoTypes() throws {
        #expect(
            try ids(#"{"books": [{"id": 1, "title": "a"}], "films": [{"id": 1, "title": "b"}]}"#)
                == ["Book/1", "Film/1"])
    }

    @Test func mapOfLikeObjectsIsACollectionNamedByItsKeys() throws {
        #expect(
            try ids(#"{"countries": {"DE": {"n": "a"}, "FR": {"n": "b"}}}"#) == ["Country/DE", "Country/FR"])
    }

    @Test func objectsWithContradictionsStayEmbedded() throws {
        let json = #"{"shelves": [{"cells": [{"id": 1, "n": 1}, {"id": 1, "n": 2}], "n": 1}, {"cells": [], "n": 2}]}"#
        #expect(try ids(json) == ["Shelf/1", "Shelf/2"])
    }

    @Test func objectsOfOneKindAreAllRecordsOrNone() throws {
        let json = #"{"old": {"columns": [{"name": "a", "n": 1}]}, "new": {"columns": [{"name": "a", "n": 2}]}}"#
        #expect(try ids(json) == ["Document/shop"])
    }

    @Test func objectsInsideOthersOfTheirKindMayBeParts() throws {
        let json = #"{"parts": {"a/1": {"v": 1, "parts": {"b/1": {"v": 1}}}, "b/1": {"v": 2}}}"#
        #expect(try ids(json) == ["Part/a/1", "Part/b/1"])
    }

    @Test func rootsAreNamedByTheirFirstKeyIfItIdentifiesThem() throws {
        #expect(
            try ids(#"[{"module": "a", "n": 1}, {"module": "b", "n": 1}, {"module": "c", "n": 1}]"#)
                == ["Shop/a", "Shop/b", "Shop/c"])
        #expect(try ids(#"[{"part_id": 7, "n": 1}, {"part_id": 8, "n": 1}]"#) == ["Shop/7", "Shop/8"])
        #expect(
            try ids(#"{"partitions": [{"partition": "x", "n": 1}, {"partition": "y", "n": 1}]}"#)
                == ["Partition/x", "Partition/y"])
    }

    @Test func mapsOfMapsHaveTwoTypes() throws {
        let names = ["north", "south", "east", "west", "middle"]
        let members = names.map { #""\#($0)": {"a\#($0)": {"x": 1}, "b\#($0)": {"x": 1}, "c\#($0)": {"x": 2}}"# }
        #expect(
            try ids(#"{"parts": {\#(members.joined(separator: ","))}}"#).filter { $0.hasPrefix("Part/") }
                == names.map { "Part/\($0)" })
    }

    @Test func unlikeMembersOfOneObjectAreNotTypes() throws {
        let members = (1...13).map { #""kind\#($0)s": [{"name": "a", "k\#($0)": 1}, {"name": "b", "k\#($0)": 1}]"# }
        let json = #"{"kinds": {\#(members.joined(separator: ","))}}"#
        #expect(try ids(json) == ["Document/shop"])
        #expect(try document(json).mapping.types.isEmpty)
    }

    @Test(arguments: [
        #"{"a": {"@id": "x"}, "b": [{"@id": "y"}, {"@id": "z"}]}"#, #"{"a": [{"$ref": "x"}]}"#,
        #"{"responses": {"200": {"text": "x"}, "404": {"text": "y"}}}"#,
        #"{"deep": {"deeper": {"parts": {"a/b": {"x": 1}}}}}"#,
    ]) func referencesAndStatesAreNotRecords(_ json: String) throws {
        #expect(try ids(json) == ["Document/shop"])
    }

    @Test func tableOfWordsIsNotARecord() throws {
        let words = (1...60).map { #""word\#($0)": \#($0)"# }
        #expect(try ids(#"{"words": {"id": 0, \#(words.joined(separator: ","))}}"#) == ["Document/shop"])
    }

    @Test func signsAmongTheKeysOfAMapAreNotNames() throws {
        #expect(
            try ids(#"{"parts": {"$meta": {"x": 1}, "": {"n": 3}, "a/1": {"n": 1}, "b/2": {"n": 2}}}"#)
                == ["Part/a/1", "Part/b/2", "Document/shop"])
    }

    @Test func documentHasATypeOfItsOwn() throws {
        let json = #"{"Document": {"id": "shop"}, "Document2": {"id": "shop"}, "x": 1}"#
        #expect(try ids(json) { $0.isExact = true } == ["Document/shop", "Document2/shop", "Document3/shop"])
    }

    @Test func tooManyTypesAreRefused() throws {
        let members = (0..<10_001).map { #""k\#($0)": {"id": 1}"# }
        let error = #expect(throws: InputError.self) {
            try ids("{\(members.joined(separator: ","))}") { $0.isExact = true }
        }
        #expect(error?.reason == "line 1, column 1: the document has more than 10,000 types of records")
    }

    @Test(arguments: [
        ("--map a=NestedRecords.Document", "the type 'NestedRecords.Document' is reserved for the library"),
        ("--map x=X", "the document has no object under 'x'"), ("--location a", "has no string under 'a'"),
        ("--mapping f.json", "found 'a', expected a mapping with types, dates, locations, references, ignored"),
        ("--save-mapping no/x", "no/x: cannot be written: No such file or directory"),
    ]) func optionThatCannotHoldIsRefused(_ options: String, _ reason: String) throws {
        let folder = try ToolFolder()
        try folder.write(#"{"a": [{"id": 1}], "x": 1}"#, to: "f.json")
        let run = try folder.run("records flatten f.json \(options)")
        #expect(run.status != 0 && run.errors.contains(reason), "\(run.errors)")
    }

    @Test func savedMappingReplacesNoFile() throws {
        let (folder, json) = (try ToolFolder(), #"{"a": [{"id": 1}]}"#)
        try folder.write(json, to: "f.json")
        let run = try folder.run("records flatten f.json --dry-run --save-mapping f.json")
        #expect(run.status == 1 && run.errors.contains("f.json: exists; name a new file"), "\(run)")
        #expect(try folder.text(of: "f.json") == json)
    }

    @Test(arguments: [
        #"{"FR": {"a": 1}}"#, #"{"items": [{"a": {}}, {}]}"#, #"{"a": {"b": {"b": {}}}, "b": {"a b": {"a": 1}}}"#,
        #"{"a": [{"id": 1, "x": {"id": 2}}, {"id": 1, "y": 1}], "rows": [{"n": 1}]}"#,
    ]) func optionsOfAReportChangeNothing(_ json: String) throws {
        let folder = try ToolFolder()
        try folder.write(json, to: "f.json")
        let run = try folder.run("records flatten f.json --dry-run --save-mapping 1.json")
        let last = try #require(run.errors.split(separator: "\n").last { $0.hasPrefix("the same") })
        let options = try #require(last.split(separator: ":", maxSplits: 1).last)
        _ = try folder.output("records flatten -q f.json --dry-run --save-mapping 2.json \(options)")
        #expect(try folder.text(of: "1.json") == folder.text(of: "2.json"))
    }

    @Test func generalKeysLeaveTheNameToTheFile() throws {
        #expect(try ids(#"{"data": [{"id": 1}, {"id": 2}]}"#) == ["Shop/1", "Shop/2"])
        #expect(try ids(#"{"id": "shop", "n": 1}"#) == ["Document/shop"])
    }

    @Test func fullestOfPartialCopiesIsStored() throws {
        let json = #"[{"id": 1, "owner": {"id": "ann"}}, {"id": 2, "owner": {"id": "ann", "name": "Ann"}}]"#
        var records: [Record] = []
        try document(json).forEachRecord { records.append($0) }
        #expect(records.first { "\($0.id)" == "Owner/ann" }?["name"] == .string("Ann"))
    }

    @Test func datesAndLocationsAreSuchInEveryObject() throws {
        let mapping = try document(
            #"[{"id": 1, "at": "1.5;2.5", "on": "2020-01-01T00:00:00Z", "by": "2020-01-01T00:00:00Z"}, {"id": 2, "by": "x"}]"#
        ).mapping
        #expect(mapping.locations == ["/[]/at"])
        #expect(mapping.dates == ["/[]/on"])
    }

    @Test func datesInAnotherSpellingStayStrings() throws {
        #expect(try document(#"[{"id": 1, "on": "2020-01-01T00:00:00.000Z"}]"#).mapping.dates == [])
    }

    @Test func namesInListsAreReportedAndReferIfAsked() throws {
        let json = #"{"users": [{"id": "ann"}, {"id": "bob"}], "admins": ["ann", "bob"]}"#
        #expect(try document(json).guess?.possibleReferences.map(\.types) == [["User"]])
        let referring = try document(json) { $0.references = [("admins", "User")] }
        var links = 0
        try referring.forEachRecord { links += $0.references.count { $0.isLink } }
        #expect(links == 2)
    }

    @Test(arguments: [
        ("cities", "City"), ("children", "Child"), ("addresses", "Address"), ("series", "Series"), ("boxes", "Box"),
        ("bom-ref", "BomRef"), ("userIDs", "UserIDs"), ("houses", "House"), ("status", "Status"), ("größen", "Grossen"),
        ("HTTPServers", "HttpServer"),
    ]) func typeIsTheSingularOfItsKey(_ key: String, _ type: String) {
        let found = TypeName.type(of: key)
        if key != "größen", key != "userIDs" { #expect(found == type) }
        #expect(found.flatMap { try? Record.ID(type: $0, name: "1") } != nil)
    }

    @Test func statedTypesAndIdentifiersAreNotGuessed() throws {
        let found = try ids(#"{"cities": [{"id": 1, "zip": "a"}]}"#) {
            $0.types = [("cities", "Town")]
            $0.identifiers = [("Town", "zip")]
        }
        #expect(found == ["Town/a"])
    }

    @Test func contradictionOfAStatedIdentifierIsAnErrorWithBothPlaces() throws {
        let error = #expect(throws: InputError.self) {
            try ids(#"{"a": [{"k": 1, "n": 1}, {"k": 1, "n": 2}]}"#) { $0.identifiers = [(nil, "k")] }
        }
        let reason = "line 1, column 26: found A/1 with another field 'n' than at line 1, column 8"
        #expect(error?.reason.hasPrefix(reason) == true)
    }

    @Test func differentObjectsWithOneIdentifierAreReportedWithTheirPlaces() throws {
        let json = #"{"rows": [{"id": 1, "n": 1}, {"id": 1, "n": 2}]}"#
        #expect(
            try document(json).guess?.positioned == [
                "/rows/[] (other content with the same 'id' at line 1, column 11 and line 1, column 30)"
            ])
    }

    @Test func unknownKeyInAnOptionIsAnErrorWithASuggestion() throws {
        let error = #expect(throws: UsageError.self) {
            try ids(#"{"cities": [{"id": 1}]}"#) { $0.types = [("citis", "City")] }
        }
        #expect(error?.description == "option '--map': the document has not a key 'citis'; did you mean 'cities'?")
    }

    @Test func optionsOfTheReportGiveTheSameMapping() throws {
        let json = #"{"id": "x", "at": "1.5;2.5", "cities": [{"code": "a"}, {"code": "b"}]}"#
        let folder = try ToolFolder()
        try folder.write(json, to: "shop.json")
        let run = try folder.run("records flatten shop.json --dry-run --save-mapping 1.json")
        let last = try #require(run.errors.split(separator: "\n").last)
        let options = try #require(last.split(separator: ":", maxSplits: 1).last)
        _ = try folder.output("records flatten -q shop.json --dry-run --save-mapping 2.json \(options)")
        #expect(try folder.text(of: "1.json") == folder.text(of: "2.json"))
        #expect(
            try folder.output("records flatten shop.json --mapping 1.json")
                == folder.output("records flatten -q shop.json"))
    }
}
