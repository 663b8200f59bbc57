import Foundation
import NestedRecords
import Testing

@testable import records

/// Filters whose paths lead through lists of maps and references, on every kind of input.
@Suite struct FieldRoutesTests {
    private static let document = """
        {"countries":[
        {"id":"lu","name":"Luxembourg","timezones":[{"zone":"CET","hours":1},{"zone":"CEST","hours":2}],
         "capital":{"id":"luxc","name":"Luxembourg City","sights":[{"name":"Adolphe Bridge","year":1903}]},
         "cities":[{"id":"esch","name":"Esch"},{"id":"luxc"}]},
        {"id":"gb","name":"United Kingdom","timezones":{"zone":"GMT","hours":0},
         "capital":{"id":"lon","name":"London","sights":[{"name":"Tower Bridge","year":1894},{"name":"Gherkin","year":2003}]},
         "cities":[{"id":"lon"}]},
        {"id":"fr","name":"France","timezones":[{"zone":"CET","hours":1}]},
        {"id":"va","name":"Vatican City","timezones":[]}]}
        """

    private static let answers = [
        ("timezones.zone = CET", "fr lu"), ("timezones.zone != CET", "gb va"),
        ("not timezones.zone = CET", "gb va"), ("timezones.hours between 1 and 1", "fr lu"),
        ("timezones.hours >= 2 and timezones.zone = CET", "lu"), ("timezones.zone is not null", "fr gb lu"),
        ("timezones.hours not in (1)", "gb va"), ("timezones.zone LIKE 'CE%'", "fr lu"),
        ("capital.name ~ london || timezones.hours == 2", "gb lu"), ("cities.name prefix E && id IS NOT NULL", "lu"),
        ("capital.sights.year < 1900", "gb"), ("cities.sights.year BETWEEN 1900 AND 1910", "lu"),
        ("capital.sights refers to Sight where (year > 2000)", "gb"), ("capital.sights refers to Sight", "gb lu"),
        ("cities refers to Capital where (sights.name ~ bridge)", "gb lu"),
    ]

    /// The names of the inputs with the document: JSON, lines, and all databases.
    private static func inputs(_ folder: ToolFolder) throws -> [String] {
        try folder.write(document, to: "world.json")
        _ = try folder.run("records flatten world.json > lines.jsonl; records copy lines.jsonl world.records")
        var inputs = ["world.json", "lines.jsonl", "world.records"].map(folder.path)
        #if SQLite
        _ = try folder.output("records copy world.records world.sqlite")
        inputs.append(folder.path("world.sqlite"))
        #endif
        return inputs
    }

    private static func names(_ input: String, _ filter: String) async throws -> String {
        let run = try await ToolRun.of(
            Records.program, ["query", input, "Country", "--where", filter, "--ids", "--sort", "@name"])
        try #require(run.errors == "", "\(input) \(filter)")
        return run.output.split(separator: "\n").map { $0.dropFirst(8) }.joined(separator: " ")
    }

    @Test func everyInputHasOneAnswer() async throws {
        let folder = try ToolFolder()
        var inputs = try Self.inputs(folder)
        #if PostgreSQL
        let schema = TestServerSchema()
        if TestServerSchema.isThere {
            _ = try folder.output("records copy world.records '\(schema.address)'")
            inputs.append(schema.address)
        }
        #endif
        for input in inputs {
            for (filter, names) in Self.answers {
                #expect(try await Self.names(input, filter) == names, "\(input) \(filter)")
            }
            let count = try await ToolRun.of(
                Records.program, ["query", input, "-w", "timezones.hours > 1 or sights.year < 1900", "--count"])
            #expect(count.output == "2\n")
        }
        let lines = try folder.text(of: "lines.jsonl")
        for (filter, names) in Self.answers.prefix(3) {
            let output = try folder.output(
                "records query - Country -w '\(filter)' -s @name --ids", input: lines)
            #expect(output == names.split(separator: " ").map { "Country/\($0)\n" }.joined())
        }
    }

    @Test func pathsToTooManyValuesAreRefused() async throws {
        let hub = try Record(id: Record.ID("Hub/1"), fields: ["n": 1])
        let records = try (0..<20).map { number in
            try Record(id: Record.ID("Many/\(number)"), fields: ["to": .reference(.init(to: hub.id)), "n": 5])
        }
        let database = InMemoryRecordDatabase()
        _ = try await database.commit(RecordBatch(saving: [hub] + records))
        var catalog = FieldCatalog(in: database)
        catalog.mostTogether = 399
        #expect(try await catalog.values(at: FieldPath(["to", "n"]), in: records).joined().count == 20)
        for (names, text) in [
            (["to", "", "Many", "n"], "to.^Many.n"), (["", "Many", "to", "", "Many"], "^Many.to.^Many"),
        ] {
            let error = await #expect(throws: UsageError.self) {
                try await catalog.values(at: FieldPath(names), in: names[0] == "" ? [hub] : records)
            }
            #expect(error.map { "\($0)" }?.contains("leads to more than 399 values") ?? false)
            #expect(error.map { "\($0)" }?.contains(text.suffix(8)) ?? false)
        }
        catalog.mostTogether = 400
        #expect(try await catalog.values(at: FieldPath(["to", "", "Many", "n"]), in: records).joined().count == 400)
    }

    @Test func errorAboutAPathAgainstReferencesNamesItAsItIsWritten() throws {
        let folder = try ToolFolder()
        try folder.write(
            [#"{"id":"C/1","fields":{"m":{"a":1},"t":{"$ref":"T/1"}}}"#, #"{"id":"T/1","fields":{}}"#], to: "a.jsonl")
        for options in ["--group-by '^C.m'", "--summarize '^C.m'"] {
            #expect(
                try folder.run("records query a.jsonl T \(options)")
                    == .error("values cannot be summarized: '^C.m' has a value that is a list or a map"))
        }
    }

    @Test func pathsLeadAgainstReferences() throws {
        let folder = try ToolFolder()
        let questions = [
            ("Capital -w '^Country.name ~ lux' -s @name --ids", "Capital/esch|Capital/luxc|"),
            ("Capital -w 'not ^Country.timezones.zone = CEST' --ids", "Capital/lon|"),
            ("Sight -w 'year < 1910 and ^Capital.^Country exists' --ids | wc -l", "2|"),
            ("Country -w 'capital.^Country.id = gb' --ids", "Country/gb|"),
            ("Country -w 'capital refers to Capital where (^Country = Country/gb)' --ids", "Country/gb|"),
            ("Capital --group-by ^Country -f csv", "^Country,count|Country/gb,1|Country/lu,2|"),
            (
                "Country --group-by timezones.zone --summarize cities.sights.year -s=-numbers -n 2 -f csv",
                "timezones.zone,count,numbers,sum,average,min,max|GMT,1,2,3897,1948.5,1894,2003|"
                    + "CEST,1,1,1903,1903.0,1903,1903|"
            ),
            (
                "Country -w 'id = lu' --fields name,timezones.hours,capital.name,cities.^Country -f csv",
                "name,timezones.hours,capital.name,cities.^Country|"
                    + #"Luxembourg,"[1,2]",Luxembourg City,"[""Country/lu"",""Country/lu""]"|"#
            ),
        ]
        for input in try Self.inputs(folder) {
            for (options, answer) in questions {
                #expect(
                    try folder.output("records query '\(input)' \(options)") == answer.replacing("|", with: "\n"),
                    "\(input)")
            }
        }
        for (options, answer) in questions[5...] {
            let output = try folder.output("records query - \(options)", input: try folder.text(of: "lines.jsonl"))
            #expect(output == answer.replacing("|", with: "\n"))
        }
    }

    @Test func pagesOfSuchAFilterFollowEachOther() async throws {
        let folder = try ToolFolder()
        for input in try Self.inputs(folder) {
            let query = "records query '\(input)' Country -w 'timezones.hours < 2' --limit 2 --next --ids"
            #expect(
                try folder.output("\(query) 2>next; \(query) --after=\"$(sed 's/^next: //' next)\"")
                    == "Country/fr\nCountry/gb\nCountry/lu\n")
        }
    }

    @Test(arguments: [
        ("-s timezones.zone", "option '--sort': 'timezones.zone' leads through a list or a reference, so a record may"),
        ("-s ^Country.name", "option '--sort': '^Country.name' leads to other records; sort by a field"),
        ("-w '^Land.name = x'", "there is no type 'Land' in world.records"),
        ("--group-by ^Country.nam", "no record of the type Country in world.records has a field 'nam'; did you mean"),
        ("-w '^.name = x'", "column 2: found '.name', expected a type after '^'"),
        ("-w '^Country refers to Sight'", "'refers to' cannot follow a path with '^'"),
        ("-w 'timezones.zon = x'", "has a field 'timezones.zon'; did you mean 'timezones.zone'?"),
        (
            "-w 'capital.nam = x'",
            "no record of the type Capital in world.records has a field 'nam'; did you mean 'name'?"
        ),
        (
            "-w 'cities.sights.yea = x'",
            "no record of the type Sight in world.records has a field 'yea'; did you mean 'year'?"
        ),
    ])
    func pathsWithoutOneMeaningAreRefused(_ options: String, _ reason: String) throws {
        let folder = try ToolFolder()
        _ = try Self.inputs(folder)
        let run = try folder.run("records query world.records Country \(options)")
        #expect(run.status == 2 && run.errors.contains(reason), "\(run.errors)")
    }

    @Test func targetsOfSeveralTypesCount() throws {
        let lines = [
            ("A/1", #""to":{"$ref":"B/1"}"#), ("A/2", #""to":[{"$ref":"C/1"},{"$ref":"D/1"}]"#),
            ("A/3", #""to":{"n":1}"#),
            ("A/4", #""to":{"$ref":"D/1"}"#), ("A/5", #""to":{"$ref":"B/9"}"#), ("B/1", #""n":1"#), ("C/1", #""n":1"#),
            ("D/1", #""m":1"#),
        ].map { #"{"id":"\#($0)","fields":{\#($1)}}"# + "\n" }.joined()
        func names(_ filter: String) throws -> String {
            try ToolFolder().output("records query - A -w '\(filter)' --ids", input: lines).replacing("\n", with: " ")
        }
        #expect(try names("to.n = 1") == "A/1 A/2 A/3 ")
        #expect(try names("to.n != 1") == "A/4 A/5 ")
        #expect(try names("to.n != 2") == "A/1 A/2 A/3 A/4 A/5 ")
        #expect(try names("not to.n = 1") == "A/4 A/5 ")
        #expect(try names("to.m exists") == "A/2 A/4 ")
    }

    @Test(arguments: ["m.a != 1", "m.a = null", "m.a != null", "m.a not in (1)", "m.a <= null", "not m.a = 1"])
    func answerForARecordIsThatForTheRecordAlone(_ filter: String) throws {
        let fields = [#""m":{"a":1}"#, #""m":{"a":null}"#, #""m":{"a":2}"#, #""m":{}"#, "", #""m":[{"a":1},{"a":2}]"#]
        let lines = fields.enumerated().map { #"{"id":"A/\#($0)","fields":{\#($1)}}"# + "\n" }
        // One more record has the field, which the filter needs.
        let needed = #"{"id":"A/x","fields":{"m":{"a":1}}}"# + "\n"
        let query = "records query - -w '\(filter) and @name != x' --ids"
        let alone = try lines.map { try ToolFolder().output(query, input: $0 + needed) }
        #expect(try ToolFolder().output(query, input: lines.joined() + needed) == alone.joined())
    }

    @Test func pathsFollowSixteenReferences() throws {
        let line = #"{"id":"A/1","fields":{"a":{"$ref":"A/1"},"n":1}}"# + "\n"
        func run(_ count: Int) throws -> ToolRun {
            let path = String(repeating: "a.", count: count) + "n"
            return try ToolFolder().run("records query - -w '\(path) = 1' --ids", input: line)
        }
        #expect(try run(16) == ToolRun(status: 0, output: "A/1\n", errors: ""))
        for count in [17, 5_000] {
            let refused = try run(count)
            #expect(refused.status == 2 && refused.errors.contains("a path follows at most 16 references"))
        }
    }

    @Test func changesAreFilteredByTheirReferences() async throws {
        let folder = try ToolFolder()
        _ = try Self.inputs(folder)
        #expect(
            try folder.output("records log world.records --json -w 'capital.name = London' 2>next | grep -c saved")
                == "1\n")
        #expect(
            try folder.output("records log world.records --json -w '^Country.id = lu' 2>next | grep -c saved") == "2\n")
    }
}
