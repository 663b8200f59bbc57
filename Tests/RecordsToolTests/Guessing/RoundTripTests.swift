import Foundation
@_spi(Engines) import NestedRecords
import Testing

@testable import records

/// Whether `nest` writes the document that `flatten` read.
@Suite struct RoundTripTests {
    /// Flattens and nests a document in memory.
    private func again(_ json: String) async throws -> String {
        let document = try GuessedDocument(Array(json.utf8), of: "a.json", GuessOptions(path: "a.json"))
        var records: [Record] = []
        try document.forEachRecord { records.append($0) }
        // As lines, which is how records come to another command.
        var writer = RecordLineWriter()
        for record in records { try writer.write(record) }
        var reader = RecordLineReader(writer.takeBytes())
        records = []
        while let record = try reader.next() { records.append(record) }
        let first = try DocumentRecord(try #require(records.first), of: "a.json")
        let nested = try await Nesting().document(first, in: LoadedRecords(records, name: "a.json"))
        var bytes: [UInt8] = []
        try nested.write(.compact) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func expectSame(_ json: String) async throws {
        let nested = try await again(json)
        let tree = try JSONTree(Array("[\(json),\(nested)]".utf8))
        let values = Array(tree.children(of: 1))
        #expect(values.count == 2 && tree.isEqual(values[0], values[1]), "\(json) became \(nested)")
    }

    @Test(arguments: [
        "{}", "[]", "null", "\"x\"", "1.10", "-0", "-0.0", "1e400", "18446744073709551615", "[1.0, 1e5, 2.50]",
        #"{"": 1}"#, #"{"a": {"": {"id": 1}}}"#, "{\"e\u{301}\": 1, \"\u{E9}\": 2.50}", #"{"$value": 1, "$ref": 2}"#,
        #"{"a": {"$decimal": "1"}}"#, #"{"$decimal": [{"id": "a"}]}"#,
        #"{"a": [{"id": 1, "c": {"$decimal": {"id": 2}}}]}"#,
        "{\"K\": 1, \"\u{212A}\": 2, \"\u{37E}\": 3, \";\": 4}",
        "{\"a\": [{\"id\": \"\u{E9}\", \"v\": 1.50}, {\"id\": \"e\u{301}\", \"v\": 2.50}]}",
        #"{"a/b": {"~": [{"c": 1.50}]}}"#, #"[[{"id": 1}], [{"id": 2}]]"#,
        #"[{"id": 1, "o": {"id": 7, "n": 1}}, {"id": 2, "o": {"id": 7}}]"#, #"[{"id": 5}, {"id": "5"}, {"id": 5.0}]"#,
        #"[{"_id": {"$oid": "a"}}, {"_id": {"$oid": "b"}}]"#, #"[1, {"id": 2}, null]"#,
    ]) func documentComesBack(_ json: String) async throws { try await expectSame(json) }

    @Test(arguments: [
        #"{"":1,"id":2,"b":3}"#, #"{"a":[{"x":1,"":{"b":1.50},"y":2},{"":[],"x":1}]}"#,
        "{\"\u{E9}\":1,\"e\u{301}\":2,\"b\":{\"k\":1,\"K\":2,\"\u{212A}\":3,\"l\":4}}",
        "[{\"id\":1,\"\":2,\"b\":3},{\"id\":2,\"\":1}]", #"{"":1}"#, #"{"a":{"":{"id":1},"b":{"":{"id":2}}}}"#,
    ]) func membersComeBackInTheirOrder(_ json: String) async throws { #expect(try await again(json) == json + "\n") }

    @Test(arguments: ["18446744073709551615", "-9223372036854775809", "1e400", "-1.5e-400"])
    func numberThatNoFieldHoldsKeepsItsDigits(_ number: String) async throws {
        let folder = try ToolFolder()
        let json = #"{"cities":[{"id":1,"n":\#(number),"of":[\#(number),1.50]},{"id":2,"n":5,"of":[]}]}"#
        try folder.write(json, to: "a.json")
        _ = try folder.output("records flatten a.json -q --into a.records")
        for file in ["a.json", "a.records"] {
            let list = try folder.output("records ls \(file)")
            #expect(list.contains(number) && !list.contains("null") && !list.contains(" map"), "\(list)")
            let get = try folder.output("records query \(file) City --format csv")
            #expect(get.contains("\n1,\(number),"), "\(get)")
            #expect(try folder.output("records nest \(file) -c") == json + "\n")
        }
        let set = try folder.output("records set a.records City/1 n=6")
        #expect(set.contains(number), "\(set)")
        #expect(
            try folder.output("records nest a.records -c")
                == json.replacing(#""id":1,"n":\#(number)"#, with: #""id":1,"n":6"#) + "\n")
    }

    @Test func integerThatADoubleHoldsIsANumber() async throws {
        try await expectSame("[100000000000000000000, 1e20, -0, 0.10, 3.14159265358979323846]")
        let list = try ToolFolder().output("records get - Document/document", input: "{\"n\":100000000000000000000}")
        #expect(list.contains("1e+20"), "\(list)")
    }

    @Test func fieldThatIsSetTakesThePlaceOfAMember() throws {
        let folder = try ToolFolder()
        _ = try folder.output(
            "records flatten - -q --type T --into a.records", input: "{\"id\":1,\"k\":1,\"K\":2,\"\u{212A}\":3}")
        _ = try folder.output("records set a.records T/1 -u K && records set a.records T/1 '\u{212A}:=5'")
        #expect(try folder.output("records nest a.records -c") == "{\"id\":1,\"k\":1,\"\u{212A}\":5}\n")
    }

    @Test func longPathsToManyValuesAreRefused() throws {
        let folder = try ToolFolder()
        func document(_ list: [String]) -> String {
            let keys = (0..<190).map { String(repeating: "k", count: 36) + "\($0)" }
            return keys.map { "{\"\($0)\":" }.joined() + "[\(list.joined(separator: ","))]"
                + String(repeating: "}", count: 190)
        }
        let date = "2030-01-31T09:30:00Z"
        let dates = (0..<1_500).map { #""d\#($0)":"\#(date)""# }.joined(separator: ",")
        let lists = (0..<1_500).map { #""l\#($0)":[{"id":1}],"s\#($0)":1"# }.joined(separator: ",")
        let numbers = (0..<1_500).map { _ in #"1.50,"x""# }
        for list in [numbers, ["{\(dates)}"], ["{\(lists)}"]] {
            try folder.write(document(list), to: "a.json")
            let run = try folder.run("records flatten a.json -q --into a.records")
            let reason = "records: a.json: line 1, column 1: found long keys"
            #expect(run.status == 1 && run.errors.hasPrefix(reason), "\(run)")
        }
        try folder.write(document(Array(numbers.prefix(20))), to: "a.json")
        #expect(try folder.output("records nest a.json -c") == document(Array(numbers.prefix(20))) + "\n")
    }

    @Test func longKeysAndDeepValuesComeBack() async throws {
        let key = String(repeating: "k", count: 300)
        try await expectSame(#"{"\#(key)": {"\#(key)": {"x": 1}}}"#)
        for (begin, end) in [("[", "]"), (#"{"a":"#, "}"), (#"{"id":1,"a":"#, "}")] {
            let depth = 5_000
            try await expectSame(String(repeating: begin, count: depth) + "1" + String(repeating: end, count: depth))
        }
    }

    @Test func linesComeBackAsLines() async throws {
        #expect(try await again("{\"id\":1}\n{\"id\":2.50}\n[1]\n") == "{\"id\":1}\n{\"id\":2.50}\n[1]\n")
        #expect(try await again("{\"id\":1}\n{\"id\":2}") == "{\"id\":1}\n{\"id\":2}\n")
    }

    @Test func referencesComeBackAsNames() throws {
        let folder = try ToolFolder()
        let json = #"{"users":[{"id":"ann"},{"id":"bob"}],"admins":["ann"]}"#
        let run = "records flatten -q - --refer admins=User | records nest - -c"
        #expect(try folder.output(run, input: json) == json + "\n")
    }

    @Test func changedFieldIsWrittenInsteadOfItsText() throws {
        let folder = try ToolFolder()
        let output = try folder.output(
            #"records flatten -q - | sed 's/"price":1.5/"price":3.5/' | records nest - -c"#,
            input: #"[{"id":1,"price":1.50},{"id":2,"price":2.50}]"#)
        #expect(output == #"[{"id":1,"price":3.5},{"id":2,"price":2.50}]"# + "\n")
    }

    @Test func documentComesBackFromADatabase() throws {
        let folder = try ToolFolder()
        let json = #"{"cities":[{"id":1,"":2,"n":1.50}]}"#
        _ = try folder.output("records flatten -q - --into a.records", input: json)
        #expect(try folder.output("records nest a.records -c").contains(#""n":1.50"#))
    }

    @Test func documentComesBackFromExportedRecords() throws {
        let folder = try ToolFolder()
        let json = #"{"cities":[{"id":1,"n":1.50}]}"# + "\n"
        try folder.write(json, to: "cities.json")
        _ = try folder.output("records copy cities.json a.records")
        for command in ["copy a.records - | records nest - -c", "copy cities.json - | records nest - -c"] {
            #expect(try folder.output("records \(command)") == json)
        }
        #expect(try folder.output("records verify cities.json").contains("1 record"))
    }

    @Test(arguments: [
        (#"{"a":[{"id":1,"secret":"S","v":1},{"id":1,"secret":"S"}]}"#, #"{"a":[{"id":1,"v":1},{"id":1}]}"#),
        (#"{"":{"secret":1},"a":{"b":2, "secret" : [{}] }}"#, #"{"":{},"a":{"b":2}}"#),
        (#"{"secret":1,"a":[1.50],"b":{"secret":1,"secret2":2}}"#, #"{"a":[1.50],"b":{"secret2":2}}"#),
        (#"{"a":[{"id":1,"secret":1},{"id":1,"secret":2}]}"#, #"{"a":[{"id":1},{"id":1}]}"#),
        (#"{"\"secret":{"secret":1},"b":1,"secret":",{}"}"#, #"{"\"secret":{},"b":1}"#),
    ]) func ignoredValuesAreAsIfTheyWereNotInTheDocument(_ json: String, _ rest: String) throws {
        let folder = try ToolFolder()
        let lines = try folder.output("records flatten -q - --ignore secret", input: json)
        #expect(!lines.contains(#"\"S\""#))
        #expect(try folder.output("records nest - -c", input: lines) == rest + "\n")
    }

    @Test func copiesAreKnownByTheirStoredObject() throws {
        let json = #"{"a":[{"x":0}],"b":[{"x":0,"y":0}]}"#
        let run = try ToolFolder().run("records flatten - --map a=T --map b=T --id-key T=:position", input: json)
        #expect(run.status == 1 && run.errors.contains("found T/1 with another field 'y'"))
    }

    @Test func randomDocumentsComeBack() async throws {
        var random = SeededGenerator(state: 5)
        for _ in 0..<300 { try await expectSame(Self.value(&random, depth: 0)) }
    }

    private static let keys = ["id", "name", "a", "b", "", "\u{E9}", "e\u{301}", "x/y", "~", "$ref", "items", "owner"]
    private static let scalars = [
        "1.50", "2", "1e5", "-0", "99999999999999999999", "true", "null", "\"\"", "\"x\"", "\"1.5;2.5\"", "\"ann\"",
        "\"2020-01-01T00:00:00Z\"", "0", "1", "3",
    ]

    private static func value(_ random: inout SeededGenerator, depth: Int) -> String {
        let kind = Int.random(in: 0..<(depth < 5 ? 10 : 5), using: &random)
        if kind < 5 { return scalars[Int.random(in: scalars.indices, using: &random)] }
        let count = Int.random(in: 0..<5, using: &random)
        if kind < 7 {
            return "[" + (0..<count).map { _ in value(&random, depth: depth + 1) }.joined(separator: ", ") + "]"
        }
        let members = keys.shuffled(using: &random).prefix(count).map { key in
            "\"\(key)\": " + value(&random, depth: depth + 1)
        }
        return "{" + members.joined(separator: ", ") + "}"
    }
}

/// Random numbers that are the same in each run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
