import Testing

@Suite struct LsCommandTests {
    @Test func fieldsAreListedWithKindsSharesAndExamples() throws {
        let folder = try ToolFolder()
        let lines = """
            {"id":"A/1","fields":{"n":1,"tags":["x",2],"to":{"$ref":"B/1"}}}
            {"id":"A/2","fields":{"n":"two","tags":[]}}
            {"id":"B/1","fields":{}}

            """
        #expect(
            try folder.output("records ls -", input: lines) == """
                type  records  field  kinds                          missing  example
                A           2  n      integer, string                         1
                               tags   list, list of integer, string           ["x",2]
                               to     → B                               50 %  B/1
                B           1

                """)
    }

    @Test func unknownTypeIsAnErrorWithTheTypesThatThereAre() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.run("records ls school.records Pupil").errors
                == "records: there is no type 'Pupil' in school.records; the types are Book, Person, School, Student "
                + "(see 'records ls --help')\n")
        #expect(try folder.run("records ls school.records Bok").errors.contains("did you mean 'Book'?"))
    }
}
