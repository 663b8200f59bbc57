import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

@Suite struct VerifyCommandTests {
    @Test(arguments: ["school.records", "school.jsonl", "- < school.jsonl", "school.records -r School/hilltop"])
    func soundInputHasNoProblems(_ input: String) async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.sound, to: "school.records")
        try folder.write(SchoolRecords.sound, to: "school.jsonl")
        #expect(
            try folder.run("records verify \(input)")
                == ToolRun(status: 0, output: "4 records, no problems\n", errors: ""))
    }

    @Test(arguments: ["school.records", "school.jsonl"])
    func everyProblemIsALine(_ input: String) async throws {
        let folder = try ToolFolder()
        let lines =
            SchoolRecords.lines + [
                #"{"id":"Ring/1","fields":{"next":{"$ref":"Ring/2","action":"deleteSelf"}}}"#,
                #"{"id":"Ring/2","fields":{"list":[{"$ref":"Ring/1","action":"deleteSelf"}]}}"#,
            ]
        try await folder.save(lines, to: "school.records")
        try folder.write(lines, to: "school.jsonl")
        let output = """
            dangling reference: School/hilltop .students[1] → Person/ghost
            owning cycle: Ring/1 .next → Ring/2 .list[0] → Ring/1
            orphan: School/hilltop
            6 records, 3 problems

            """
        #expect(
            try folder.run("records verify \(input) --root Person/ada --root Ring/2")
                == ToolRun(status: 1, output: output, errors: ""))
    }

    @Test func manyProblemsOfOneFieldAreOneLine() throws {
        let folder = try ToolFolder()
        let ghosts = (1...11).map { #"{"$ref":"Person/x\#($0)"}"# }.joined(separator: ",")
        try folder.write(
            [#"{"id":"Person/ada","fields":{"friends":[\#(ghosts)],"best":{"$ref":"Person/x1"}}}"#], to: "a.jsonl")
        let output = """
            Person.friends: 11 dangling references (first: Person/ada → Person/x1)
            dangling reference: Person/ada .best → Person/x1
            1 record, 12 problems

            """
        #expect(try folder.run("records verify a.jsonl") == ToolRun(status: 1, output: output, errors: ""))
        let all = try folder.run("records verify a.jsonl --all")
        #expect(all.status == 1)
        #expect(all.output.contains("dangling reference: Person/ada .friends[10] → Person/x11\n"))
        #expect(all.output.split(separator: "\n").count == 13)
    }

    @Test(arguments: ["a.records", "a.jsonl"])
    func typesAndFieldsAreComparedWithAList(_ input: String) async throws {
        let folder = try ToolFolder()
        let lines = [
            #"{"id":"Person/ada","fields":{"name":"Ada","nickname":"a"}}"#, #"{"id":"Task/1","fields":{}}"#,
            #"{"id":"Blog.Post/1","fields":{"a.b":1,"text":""}}"#, #"{"id":"Blog.Author/1","fields":{"x":1}}"#,
        ]
        try await folder.save(lines, to: "a.records")
        try folder.write(lines, to: "a.jsonl")
        try folder.write(
            ["# types", "", " Person.name\r", "Person", "Blog.Author", "Blog.Post.a.b", "Site"], to: "list.txt")
        let problems = """
            No given type reads Task (1 record).
            No given type reads the field 'text' of Blog.Post (1 record).
            No given type reads the field 'nickname' of Person (1 record).
            Site has no records.

            """
        #expect(
            try folder.run("records verify \(input) --against list.txt")
                == ToolRun(
                    status: 1, output: problems + "4 records, 3 problems, 1 harmless\n", errors: ""))
        try folder.write(["Person", "Task", "Blog.Post", "Blog.Author", "Site"], to: "all.txt")
        let notes = "Site has no records.\n4 records, no problems, 1 harmless\n"
        #expect(
            try folder.run("records verify \(input) --against - < all.txt")
                == ToolRun(status: 0, output: notes, errors: ""))
        #expect(try folder.run("records verify \(input) --against all.txt --strict").status == 1)
    }

    @Test func listThatCannotBeReadIsNamed() throws {
        let folder = try ToolFolder()
        try folder.write([#"{"id":"Person/ada","fields":{}}"#], to: "a.jsonl")
        try folder.write(["Person", "my type"], to: "list.txt")
        let run = try folder.run("records verify a.jsonl --against list.txt")
        #expect(run.status == 2 && run.output == "")
        #expect(run.errors.contains("list.txt") && run.errors.contains("'my type' does not begin with a record type"))
        #expect(try folder.run("records verify a.jsonl --against none.txt").status == 2)
        let both = try folder.run("records verify - --against - < a.jsonl")
        #expect(both.status == 2 && both.errors.contains("cannot both be standard input"))
    }

    @Test func claimsOfUniqueValuesAreCheckedAndMended() async throws {
        struct Account: RecordCodable, Identifiable {
            var id: String
            var address: String?
            static let recordType = "VerifiedAccount"
            static let schema = RecordSchema(unique: ["address"])
        }
        let folder = try ToolFolder()
        let database = try FileRecordDatabase(path: folder.path("a.records"))
        let store = RecordStore(database)
        try await store.insert([Account(id: "ann", address: "a"), Account(id: "bo", address: "b")])
        try await store.update(Account.self, named: "bo") { $0.address = "c" }
        // A writer that knows no claims.
        let cy = try RecordEncoder().encode([Account(id: "cy", address: "a"), Account(id: "di", address: "d")])
        try await database.save(cy)
        try await database.close()
        let found = """
            'address' is unique, but has the same value in VerifiedAccount/ann, VerifiedAccount/cy
            a claim on a value of 'address' is no longer in force: its owner was VerifiedAccount/bo
            the value of 'address' in VerifiedAccount/di is unique, but has no claim

            """
        #expect(
            try folder.run("records verify a.records")
                == ToolRun(status: 1, output: found + "4 records, 2 problems, 1 harmless\n", errors: ""))
        #expect(try folder.run("records verify a.records --mend").output.contains("has no claim (mended)"))
        #expect(
            try folder.run("records verify a.records").output
                == found.prefix { $0 != "\n" } + "\n4 records, 1 problem\n")
        // Lists, counts and exports leave claims out; a copy and a question for their type do not.
        #expect(try folder.run("records copy a.records - | grep -c NestedRecords").output == "0\n")
        #expect(
            !(try folder.run("records query a.records; records ls a.records --sizes").output.contains("NestedRecords")))
        #expect(
            try folder.run("records query a.records NestedRecords.UniqueValue | grep -c VerifiedAccount").output
                == "3\n")
        #expect(try folder.run("records copy a.records b.records").status == 0)
        #expect(try folder.run("records diff a.records b.records").status == 0)
    }

    @Test func linesThatAreNotRecordsAreProblems() throws {
        let folder = try ToolFolder()
        try folder.write(
            [
                #"{"id":"A/1","fields":{"n":1}}"#, #"{"id":"1A/1","fields":{}}"#, "", #"{"id":"A/1","fields":{"n":2}}"#,
                #"{"id":"A/2","fields":{"":1}}"#, #"{"id":"A/1","fields":{"n":1}}"#, #"{"id":"A/3","#,
                #"{"id":"A/4","fields":{"to":{"$ref":"A/1"}}}"#,
            ], to: "a.jsonl")
        let run = try folder.run("records verify a.jsonl")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(run.status == 1)
        #expect(run.errors == "")
        try #require(lines.count == 6)
        #expect(lines[0].hasPrefix("line 2, column 7: '1A/1' is not the ID of a record: "))
        #expect(lines[1] == "line 4: A/1 occurs twice, with different content than in line 1")
        #expect(lines[2].hasPrefix("line 5, column "))
        #expect(lines[3].hasPrefix("line 7, column "))
        #expect(lines[4] == "2 records, 4 problems")
        #expect(lines[5] == "")
    }

    @Test func damagedRecordIsReported() async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.sound, to: "school.records")
        // Only with its saved index a file is opened without all its records being read.
        #expect(try folder.run("records compact school.records").status == 0)
        let offset = try folder.damage("school.records", at: "Hilltop")
        let run = try folder.run("records verify school.records")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        let place = try #require(Int(lines[0].drop { !$0.isNumber }.prefix { $0.isNumber }))
        #expect((offset - 200..<offset).contains(place))
        #expect(
            lines == [
                "byte \(place), entry School/hilltop: the checksum is wrong",
                "references are not checked, since damaged records cannot be read", "1 problem",
            ])
        #expect(run.status == 1)
        #expect(run.errors == "")
        for command in ["ls", "graph"] {
            let run = try folder.run("records \(command) school.records")
            #expect(run == .error("the file school.records is damaged at byte \(place): the checksum of a record"))
        }
    }

    @Test func everyDamageOfAFileThatCannotBeOpenedIsAProblem() async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.sound, to: "school.records")
        let offsets = try [
            folder.damage("school.records", at: "Hilltop"), folder.damage("school.records", at: "Ada"),
        ]
        let run = try folder.run("records verify school.records")
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 4)
        let places = lines[..<2].compactMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) }
        for (place, offset) in zip(places, offsets.sorted()) { #expect((offset - 200..<offset).contains(place)) }
        #expect(
            lines[2]
                == "the file cannot be opened, and 'records copy FILE - --salvage' prints what is undamaged: 2 records")
        #expect(lines[3] == "2 problems")
        #expect(run.status == 1)
        #expect(run.errors == "")

        // What is undamaged comes back.
        let export = try folder.run("records copy school.records -")
        #expect(export.status == 1)
        #expect(export.output == "")
        let salvage = try folder.run("records copy school.records - --salvage")
        #expect(salvage.status == 1)
        #expect(salvage.output.split(separator: "\n").count == 2)
        #expect(
            salvage.errors == """
                school.records: \(lines[0])
                school.records: \(lines[1])
                records: school.records: 2 records are undamaged

                """)
    }

    @Test func fileThatIsCutOffIsSalvaged() async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.sound, to: "school.records")
        try folder.cut("school.records", by: 40)
        let run = try folder.run("records verify school.records")
        #expect(run.status == 1)
        #expect(run.output.contains("the file is shorter than the "))
        let salvage = try folder.run("records copy school.records - --salvage")
        #expect(salvage.output.split(separator: "\n").count == 3)
    }

    @Test(arguments: [
        ("", 0, "4 records, no problems, 1 harmless"), ("--strict", 1, "4 records, 1 problem"),
    ])
    func damageOfNoConsequenceCountsOnlyIfItIsWantedTo(_ option: String, _ status: Int32, _ last: String) async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.sound, to: "school.records")
        // A batch that was being written when its writer ended.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("school.records")))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 7, count: 1_500))
        try file.close()
        #expect(
            try folder.run("records verify school.records \(option)")
                == ToolRun(
                    status: status, output: "an unfinished save of 1,500 bytes at the end\n\(last)\n", errors: ""))
    }

    @Test(arguments: ["school.records", "school.jsonl"])
    func missingRootIsReported(_ input: String) async throws {
        let folder = try ToolFolder()
        try await folder.save(SchoolRecords.sound, to: "school.records")
        try folder.write(SchoolRecords.sound, to: "school.jsonl")
        #expect(try folder.run("records verify \(input) --root Person/eve").status == 2)
    }
}

extension ToolFolder {
    /// Changes a byte of a text that stands in a file once.
    ///
    /// - Returns: Where.
    func damage(_ name: String, at text: String) throws -> Int {
        let url = self.url.appendingPathComponent(name)
        var bytes = try Data(contentsOf: url)
        let range = try #require(bytes.firstRange(of: Data(text.utf8)))
        bytes[range.lowerBound] ^= 1
        try bytes.write(to: url)
        return range.lowerBound
    }

    /// Takes bytes off the end of a file.
    func cut(_ name: String, by count: Int) throws {
        let url = self.url.appendingPathComponent(name)
        try Data(contentsOf: url).dropLast(count).write(to: url)
    }
}
