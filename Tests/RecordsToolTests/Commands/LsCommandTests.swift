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

    @Test func mapsAreOpened() throws {
        let data = (0...30).map { #""k\#($0)":1"# }.joined(separator: ",")
        let lines = """
            {"id":"A/1","fields":{"m":{"x":1,"a b":{"c":{"d":{"e":1}}}},"l":[{"z":1},{"z":2,"y":true}],"many":{\(data)}}}
            {"id":"A/2","fields":{"m":{"x":null},"m.x":7}}

            """
        #expect(
            try ToolFolder().output("records ls - | cut -c 1-50 | sed 's/ *$//'", input: lines) == """
                type  records  field        kinds          missing
                A           2  m            map
                               m.x          integer, null
                               m."a b"      map               50 %
                               m."a b".c    map
                               m."a b".c.d  map
                               l            list of map       50 %
                               l.z          integer
                               l.y          Boolean           50 %
                               many         map               50 %
                               "m.x"        integer           50 %

                """)
    }

    @Test func fieldsOfOneTypeHaveAProfile() throws {
        let lines = [
            #""n":3,"s":"b","t":["x"],"m":{"k":1}"#, #""n":1.5,"s":"a","m":{"k":1}"#, #""n":3,"s":"é","none":null"#,
            #""n":3.0,"s":"c""#,
        ].enumerated().map { #"{"id":"A/\#($0)","fields":{\#($1)}}"# + "\n" }
        #expect(
            try ToolFolder().output("records ls - A | sed 's/ *$//'", input: lines.joined()) == """
                A, 4 records
                field  kinds            missing  different  least  greatest  most frequent
                n      integer, number                   2  1.5    3         3 (3)
                s      string                            4  a      é
                t      list of string      75 %
                m      map                 50 %
                m.k    integer                           1  1      1         1 (2)
                none   null                75 %

                """)
        let many = (0..<10_001).map { #"{"id":"A/\#($0)","fields":{"n":\#($0),"one":1}}"# + "\n" }.joined()
        let output = try ToolFolder().output("records ls - A", input: many)
        #expect(output.contains("> 10,000  0") && output.contains("1 (10,001)"), "\(output)")
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
