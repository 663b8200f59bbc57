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
        #expect(try folder.output("records export school.records | records nest - School/hilltop -c") == fromFile)
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

    @Test func namesThatAreNoFieldsArePrintedUnderAKey() throws {
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

    @Test func textThatIsNoIDIsAMistakeOfUse() throws {
        let run = try ToolFolder().run("records nest - nobody", input: ring)
        #expect(run.status == 2)
    }
}
