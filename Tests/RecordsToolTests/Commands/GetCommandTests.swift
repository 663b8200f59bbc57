import Testing

@Suite struct GetCommandTests {
    @Test func nameWithoutATypeIsAnsweredWithItsRecords() throws {
        let folder = try ToolFolder()
        let lines = ["City/10", "Country/10", "City/11"].map { #"{"id":"\#($0)","fields":{"n":1}}"# + "\n" }.joined()
        let run = try folder.run("records get - 10", input: lines)
        #expect(
            run.status == 2
                && run.errors.contains("'10' is the name of City/10, Country/10: an ID begins with the type"))
        #expect(
            try folder.run("records get - 12", input: lines).errors.contains("'12' is not an ID such as Person/ada"))
    }

    @Test(arguments: [
        "Book/2\nStudent/bo\n", "\n  Book/2\r\n\n\"Student/bo\"", "[\"Book/2\",\n \"Student/bo\"]\n",
        "[\"Book/2\",\"Student\\/bo\"]", "\"Book/2\"\n\"Student/bo\"\n",
    ])
    func idsComeFromStandardInput(_ input: String) throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.output("records get school.records - --fields @id,title,name -f csv", input: input)
                == "@id,title,name\nBook/2,Stars for Beginners,\nStudent/bo,,Bo Alder\n")
        #expect(
            try folder.output("records get school.records Book/1 - -f csv --fields @id", input: input)
                == "@id\nBook/1\nBook/2\nStudent/bo\n")
    }

    @Test func idsOfAQueryArePassedOn() throws {
        let folder = try SchoolFile.folder()
        for format in ["", "-f json", "-f jsonl"] {
            #expect(
                try folder.output(
                    "records query school.records Book -n 1 --next --ids \(format) 2>next"
                        + (format == "-f json" ? " | tr '\\n' ' ' | sed 's/.*\\(\\[.*\\]\\).*/\\1/'" : "")
                        + " | records get school.records - --fields title")
                    == "{\"title\":\"An Atlas of Clouds\"}\n", "\(format)")
        }
        #expect(try folder.output("records get school.records - < /dev/null") == "")
        #expect(
            try folder.output("records get school.records - --refs", input: "Book/2\n")
                == "Student/bo .reads\nStudent/cy .reads\n")
    }

    @Test(arguments: [
        ("Book/2\nBook\n", "line 2: 'Book' is not an ID such as Person/ada"), ("[\"Book/2\", 5]", "5 is not an ID"),
        ("{\"id\":1}\n", "line 1: '{\"id\":1}' is not an ID"), ("[\"Book/2\"", ""), ("Book/2 Book/1\n", ""),
    ])
    func wordThatIsNotAnIDIsNamed(_ input: String, _ reason: String) throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("records get school.records -", input: input)
        #expect(run.status == 1 && run.output == "")
        #expect(run.errors.hasPrefix("records: \(reason.isEmpty ? "" : "standard input: ")\(reason)"), "\(run.errors)")
    }

    @Test func chosenFieldsMayBePaths() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.output("records get school.records Student/bo --fields name,reads.title,marks.maths")
                == #"{"name":"Bo Alder","reads.title":"Stars for Beginners","marks.maths":1.5}"# + "\n")
        let run = try folder.run("records get school.records Student/bo --fields nam")
        #expect(run.status == 2)
        #expect(run.errors.contains("no record of the type Student in school.records has a field 'nam'"))
        let missing = try folder.run("records get school.records Student/x Student/bo --fields name")
        #expect(missing.status == 1 && missing.output == "{\"name\":\"Bo Alder\"}\n")
    }

    @Test func textHasNumbersWithTheirDigitsAndApostrophesAsTheyAre() throws {
        let folder = try ToolFolder()
        try folder.write(#"[{"id":1,"c":1e400,"d":18446744073709551615,"n":"St. John's"}]"#, to: "town.json")
        #expect(
            try folder.output("records get town.json Town/1 -f text")
                == "Town/1\n    id: 1\n    c: 1e400\n    d: 18446744073709551615\n    n: \"St. John's\"\n")
    }

    @Test func recordsOfSeveralTypesHaveTheirIDs() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.output("records get school.records Book/1 Person/ada -f jsonl").split(separator: "\n").map {
                $0.prefix(8)
            } == ["{\"@id\":\"B", "{\"@id\":\"P"].map { $0.prefix(8) })
        #expect(
            try folder.output("records get school.records Person/ada")
                == #"{"id":"ada","name":"Ada Fern","email":null}"#
                + "\n")
        #expect(
            try folder.output("records get school.records Person/ada --typed").hasPrefix(
                #"{"id":"Person/ada","fields":{"#))
    }

    @Test func everyRootHasATree() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.output("records get school.records Student/bo Book/1 --tree --depth 0")
                == "Student/bo  … 1 reference deeper  name: \"Bo Alder\"\nBook/1  title: \"An Atlas of Clouds\"\n")
    }

    @Test func referrersAreListedWithTheirPaths() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.output("records get school.records Book/2 --refs") == "Student/bo .reads\nStudent/cy .reads\n")
        #expect(
            try folder.output("records get school.records Book/1 Person/ada --refs")
                == "School/hilltop .books[0] → Book/1\nSchool/hilltop .headOfSchool → Person/ada\n")
        #expect(try folder.run("records get school.records Book/9 --refs").errors.contains("there is no record Book/9"))
    }

    @Test func namesOnStandardInputKeepTheirSpaces() throws {
        let folder = try ToolFolder()
        let lines = ["x", "x ", "x\u{A0}"].map { #"{"id":"A/\#($0)","fields":{"n":"\#($0)"}}"# + "\n" }.joined()
        _ = try folder.output("records copy - a.records", input: lines)
        #expect(
            try folder.output("records query a.records A --ids | records get a.records - --fields n -f jsonl")
                .split(separator: "\n").count == 3)
        #expect(
            try folder.output("records get a.records - -f jsonl", input: "  A/x\r\n\n\"A/x \" \n").contains(#""x ""#))
    }
}
