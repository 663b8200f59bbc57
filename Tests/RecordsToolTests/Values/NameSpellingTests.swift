import Foundation
import Testing

/// Names that Swift types read as equal, in several spellings.
@Suite struct NameSpellingTests {
    private let upper = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"
    private var lower: String { upper.lowercased() }

    @Test func uuidInLowerCaseIsKeptAndReported() throws {
        let folder = try ToolFolder()
        let json = #"{"people":[{"id":"\#(lower)","name":"Ada"}],"heads":["\#(upper)"]}"#
        try folder.write(json, to: "a.json")
        let flatten = "records flatten a.json -q --refer heads=Person"
        let run = try folder.run("\(flatten) --into a.records")
        #expect(run.status == 0 && run.errors.contains("does not find Person/\(lower)"), "\(run)")
        // A link may be spelled in another way than its target.
        #expect(try folder.output("records get a.records Person/\(lower) --refs").contains("heads"))
        #expect(try folder.output("records nest a.records -c") == json + "\n")
        let get = try folder.run("records get a.records Person/\(upper)")
        #expect(get.status == 1 && get.errors.contains("; did you mean Person/\(lower)?"), "\(get)")
        _ = try folder.output("\(flatten) --canonical-uuids --into b.records")
        #expect(try folder.output("records query b.records Person --ids") == "Person/\(upper)\n")
        #expect(try folder.output("records nest b.records -c") == json + "\n")
    }

    @Test func referenceInAnotherSpellingIsReportedWithItsRecord() throws {
        let folder = try ToolFolder()
        let lines = [
            #"{"id":"Card/\#(upper)","fields":{}}"#, #"{"id":"Shelf/1","fields":{"front":{"$ref":"Card/\#(lower)"}}}"#,
            #"{"id":"Shelf/2","fields":{"all":[{"$ref":"Card/\#(lower)"}],"front":{"$ref":"Card/x"}}}"#,
        ]
        let imported = try folder.run("records copy - a.records", input: lines.joined(separator: "\n"))
        #expect(imported.status == 0, "\(imported)")
        let verified = try folder.run("records verify a.records --all")
        #expect(
            verified.output.contains("Shelf/1 .front → Card/\(lower); did you mean Card/\(upper)?\n"), "\(verified)")
        #expect(verified.output.contains("Shelf/2 .front → Card/x\n"), "\(verified)")
        for (filter, field) in [("front == Card/\(upper)", "front"), ("all contains Card/\(upper)", "all")] {
            let run = try folder.run("records query a.records Shelf --ids --where '\(filter)'")
            #expect(run.output.isEmpty && run.errors.contains("\(field) has references to Card/\(lower)"), "\(run)")
        }
        let found = try folder.run("records query a.records Shelf --ids --where 'front == Card/\(lower)'")
        #expect(found.output == "Shelf/1\n" && found.errors.isEmpty, "\(found)")
    }

    @Test func uuidInTwoSpellingsIsOneIdentity() throws {
        let folder = try ToolFolder()
        try folder.write(#"[{"id":"\#(lower)","n":1},{"id":"\#(upper)","n":2}]"#, to: "a.json")
        let run = try folder.run("records flatten a.json -q --type A --into a.records")
        #expect(run.status == 1 && run.errors.contains("with another field 'id'"), "\(run)")
        // A guess does not take them for names.
        #expect(try folder.run("records flatten a.json --format jsonl").output.contains(#""id":"A/2""#))
        func line(_ name: String) -> String { #"{"id":"A/\#(name)","fields":{}}"# + "\n" }
        for (first, second) in [(lower, upper), (upper, lower)] {
            let both = try folder.run("records copy - both.records", input: line(first) + line(second))
            #expect(both.status == 1 && both.errors.contains(" are one UUID: give both records one name"), "\(both)")
            let file = "a-\(first).records"
            let one = try folder.run("records copy - \(file)", input: line(first))
            #expect(one.status == 0 && one.errors.contains("does not find A/\(lower)") == (first == lower), "\(one)")
            for command in ["copy - \(file)", "set \(file) --new A/\(second)"] {
                let run = try folder.run("records \(command)", input: line(second))
                #expect(run.status == 1 && run.errors.contains("A/\(second) and A/\(first) are one UUID"), "\(run)")
            }
            let get = try folder.run("records get \(file) A/\(second)")
            #expect(get.status == 1 && get.errors.contains("; did you mean A/\(first)?"), "\(get)")
        }
    }

    @Test func integerInTwoSpellingsIsReported() throws {
        let folder = try ToolFolder()
        try folder.write(#"[{"id":"007","n":1},{"id":"7","n":2},{"id":"08","n":3}]"#, to: "as.json")
        let hint = "records: hint: A/007 and A/7 are one for a Swift type whose identifier is an integer"
        let run = try folder.run("records flatten as.json -q --type A --into a.records")
        #expect(run.status == 0 && run.errors.hasPrefix(hint), "\(run)")
        #expect(run.errors.split(separator: "\n").count == 1)
        let lines = try folder.output("records copy a.records -")
        let copy = try folder.run("records copy - b.records", input: lines)
        #expect(copy.status == 0 && copy.errors.hasPrefix(hint), "\(copy)")
        for name in ["+8", "008"] {
            #expect(try folder.run("records get a.records A/\(name)").errors.contains("there is no record A/\(name)"))
        }
        #expect(try folder.run("records get a.records A/0007").errors.contains("; did you mean A/7?"))
    }
}
