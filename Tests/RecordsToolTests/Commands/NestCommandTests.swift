import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

@Suite struct NestCommandTests {
    @Test func recordsNestAgainAsTheyWere() throws {
        let folder = try SchoolFile.folder()
        let nested = try folder.output("records nest school.records School/hilltop")
        let both = try JSONTree(Array("[\(String(contentsOf: SchoolFile.url, encoding: .utf8)),\(nested)]".utf8))
        let values = Array(both.children(of: 1))
        #expect(values.count == 2 && both.isEqual(values[0], values[1]))
    }

    @Test func linesNestToo() throws {
        let folder = try SchoolFile.folder()
        let fromFile = try folder.output("records nest school.records School/hilltop --compact")
        #expect(try folder.output("records copy school.records - | records nest - School/hilltop -c") == fromFile)
    }

    private let ring = """
        {"id":"A/1","fields":{"to":{"$ref":"A/2"},"n":1}}
        {"id":"A/2","fields":{"to":{"$ref":"A/1"},"lost":{"$ref":"A/9"}}}

        """

    @Test(arguments: [
        ("", #"{"to":{"to":{"$ref":"A/1"},"lost":{"$ref":"A/9"}},"n":1}"#),
        ("--depth 0", #"{"to":{"$ref":"A/2"},"n":1}"#),
        ("--depth 1", #"{"to":{"to":{"$ref":"A/1"},"lost":{"$ref":"A/9"}},"n":1}"#),
    ]) func ringsEndInReferences(_ options: String, _ nested: String) throws {
        #expect(try ToolFolder().output("records nest - A/1 -c \(options)", input: ring) == nested + "\n")
    }

    @Test func namesThatAreNotFieldsArePrintedUnderAKey() throws {
        let folder = try ToolFolder()
        let lines = """
            {"id":"A/x","fields":{"n":1,"to":{"$ref":"A/y"}}}
            {"id":"A/y","fields":{"id":"other","n":2}}

            """
        let nested = try folder.output("records nest - A/x -c --id-key name", input: lines)
        #expect(nested == #"{"name":"x","n":1,"to":{"name":"y","id":"other","n":2}}"# + "\n")
        #expect(
            try folder.output("records nest - A/x -c --id-key id", input: lines)
                == #"{"id":"x","n":1,"to":{"id":"other","n":2}}"# + "\n")
        let flat = try folder.output(
            "records flatten --exactly - --type A --map to=A --id-key name --format jsonl", input: nested)
        #expect(flat.contains(#"{"id":"A/x","fields":{"name":"x","n":1,"to":{"$ref":"A/y"}}}"#))
    }

    @Test func sizeOfWhatIsSharedIsLimited() throws {
        // Each record refers twice to the next one: 30 lines would print a thousand million objects.
        let lines = (1...30).map { number in
            let next = number < 30 ? #""a":{"$ref":"N/\#(number + 1)"},"b":{"$ref":"N/\#(number + 1)"}"# : ""
            return #"{"id":"N/\#(number)","fields":{\#(next)}}"# + "\n"
        }
        let run = try ToolFolder().run("records nest - N/1 -c --max-size 100000", input: lines.joined())
        #expect(run.status == 1)
        #expect(run.output.utf8.count <= 100_000)
        #expect(run.errors.contains("the JSON is larger than 100,000 bytes"))
        #expect(run.errors.contains("--max-size"))
    }

    @Test func missingRecordIsAnErrorIfThatIsAskedFor() throws {
        let run = try ToolFolder().run("records nest - A/1 --strict", input: ring)
        #expect(run.status == 1)
    }

    @Test func unknownRootIsNamed() throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("records nest school.records School/nowhere")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.contains("School/nowhere"))
    }

    @Test func stringThatIsNotAnIDIsAMistakeOfUse() throws {
        let run = try ToolFolder().run("records nest - nobody", input: ring)
        #expect(run.status == 2)
    }

    /// A document of one record, with some fields of the record that 'nest' needs.
    private func document(_ fields: String, root: String = #""A/1""#) -> String {
        #"{"id":"NestedRecords.Document/d","fields":{"root":\#(root),"mapping":"{}"\#(fields)}}"# + "\n"
            + #"{"id":"A/1","fields":{"k":1}}"# + "\n"
    }

    @Test(arguments: [
        #"[["A/1","","k","x"]]"#, #"[["A/1","","l","x"]]"#, #"[["A/1","","l","1\n2"]]"#, #"[["A/1","","l",""]]"#,
        #"[["A/1","",0,"l","1","l","2"]]"#, #"[["A/1","",-1,"l","1"]]"#, #"[["A/1","",0,"l"]]"#, #"[["A/1",""]]"#,
        #"[["A","","l","1"]]"#, #"[[1,"","l","1"]]"#, #"["A/1"]"#, #"7"#, #"[["A/1","","l","1"],["A/1","","m","1"]]"#,
    ]) func membersThatNobodyFlattenedAreDamage(_ members: String) throws {
        try expectDamage(of: "members", document(#","members":\#(members)"#))
    }

    @Test(arguments: [
        #"[["A/1","/k","1\n2"]]"#, #"[["A/1","/k","x"]]"#, #"[["A/1","/k",""]]"#, #"[["A/1","/k","1,2"]]"#,
        #"[["A/1","/k","{\"a\":1,\"a\":2}"]]"#, #"[["A/1","/k","1","2"]]"#, #"[["A/1","/k"]]"#, #"[["A/1","/k",1]]"#,
        #"[["A/1","/k","1"],["A/1","/k","1.0"]]"#, #"[["","/k","1"]]"#, #"{"A/1":"1"}"#,
    ]) func textsThatNobodyFlattenedAreDamage(_ texts: String) throws {
        try expectDamage(of: "texts", document(#","texts":\#(texts)"#))
    }

    @Test func rootWithoutIDsIsDamage() throws { try expectDamage(of: "root", document("", root: #"["A"]"#)) }

    private func expectDamage(of field: String, _ lines: String) throws {
        let folder = try ToolFolder()
        try folder.write(lines, to: "a.jsonl")
        try folder.write(document(""), to: "good.jsonl")
        let reason = "NestedRecords.Document/d, field '\(field)': "
        let nest = try folder.run("records nest a.jsonl -c")
        #expect(nest.status == 1 && nest.output == "" && nest.errors.contains(reason), "\(nest)")
        let verify = try folder.run("records verify a.jsonl")
        #expect(verify.status == 1 && verify.output.hasPrefix(reason), "\(verify)")
        let imported = try folder.run("records copy a.jsonl a.records")
        #expect(imported.status == 1 && imported.errors.contains(reason), "\(imported)")
        _ = try folder.output("records copy good.jsonl c.records")
        let start = try #require(lines.range(of: "\"\(field)\":")?.upperBound)
        let end = try #require(lines.range(of: field == "root" ? ",\"mapping" : "}}\n")?.lowerBound)
        try folder.write("\(field):=\(lines[start..<end])", to: "word")
        let set = try folder.run("records set c.records NestedRecords.Document/d \"$(cat word)\"")
        #expect(set.status == 1 && set.errors.contains(reason), "\(set)")
        #expect(try folder.output("records nest c.records -c") == "{\"k\":1}\n")
    }

    @Test(arguments: [
        (#"[["A/1","","l","[1, 2]"]]"#, #"{"k":1,"l":[1,2]}"#), (#"[["A/1","",0,"l","1"]]"#, #"{"l":1,"k":1}"#),
        (#"[["A/1","",9,"l","1"]]"#, #"{"k":1,"l":1}"#), (#"[["A/1","","k","2"]]"#, #"{"k":1}"#),
        (#"[["A/2","","k","2"]]"#, #"{"k":1}"#), (#"[["NestedRecords.Document/d","/root","k","2"]]"#, #"{"k":1}"#),
    ]) func membersAreWrittenAtTheirPlacesAndNoKeyTwice(_ members: String, _ nested: String) throws {
        let lines = document(#","members":\#(members)"#)
        #expect(try ToolFolder().output("records nest - -c", input: lines) == nested + "\n")
    }

    @Test func listHasNoMembers() throws {
        let list = #"{"id":"A/2","fields":{"l":[2]}}"# + "\n"
        let lines = document(#","members":[["A/2","/l","x","1"],["A/2","","x","1"]]"#) + list
        #expect(try ToolFolder().output("records nest - A/2 -c", input: lines) == #"{"l":[2],"x":1}"# + "\n")
    }

    @Test func nameUnderAKeyLeavesTheMemberWithThisKey() throws {
        let folder = try ToolFolder()
        let nested = try folder.output(
            "records flatten - -q --map as=A | records nest - -c --id-key ''", input: #"{"as":{"x":{"":1,"b":2}}}"#)
        #expect(nested == #"{"":"document","as":{"x":{"":1,"b":2}}}"# + "\n")
    }

    @Test func numberOfManyDigitsIsANumber() throws {
        let fields = #""a":{"$map":{"$decimal":"18446744073709551615"}},"b":{"$map":{"$decimal":"x"}}"#
        let lines = #"{"id":"A/1","fields":{\#(fields)}}"# + "\n"
        #expect(
            try ToolFolder().output("records nest - A/1 -c", input: lines)
                == #"{"a":18446744073709551615,"b":{"$decimal":"x"}}"# + "\n")
    }
}
