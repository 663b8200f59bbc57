import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct CopyCommandTests {
    private static let count = 2 * RecordPages.usualCount + 500

    private func line(_ number: Int, _ value: Int? = nil) -> String {
        #"{"id":"A/\#(number)","fields":{"n":\#(value ?? number),"text":"value \#(number)","x":{"b":[1.5,"\#(number)"],"a":null}}}"#
    }

    /// A folder with `a.records` of some pages.
    private func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        let lines = (0..<Self.count).map { line($0) + "\n" }.joined()
        #expect(try folder.output("records copy - a.records", input: lines).hasPrefix("saved 2,500 records in"))
        return folder
    }

    /// The digest that a copy prints.
    private func digest(_ output: String) throws -> Substring {
        try #require(output.split(separator: "\n").last?.split(separator: " ").last)
    }

    @Test func patternSelectsRecordsBesideADocument() throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("records copy school.records new.records --where 'title matches \"^.*$\"'")
        #expect(run.status == 0, "\(run)")
        let ids = try folder.output("records query school.records Book --ids")
        #expect(try folder.output("records query new.records Book --ids") == ids)
    }

    @Test(arguments: [
        "copy school.records out.csv", "copy school.records out.jsonl", "flatten school.json --into out.json",
    ])
    func newDatabaseIsNotNamedAsText(_ command: String) throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run("records \(command)")
        #expect(run.status == 2)
        #expect(run.errors.contains("' would be a database and not text: a new database ends with .records or .sqlite"))
        #expect(try folder.output("ls").contains("out.") == false)
    }

    @Test func copyIsVerifiedAndRepeatedForNothing() throws {
        let folder = try folder()
        let first = try folder.output("records copy a.records b.records")
        #expect(first.hasPrefix("2,500 records copied from a.records to b.records\nverified 2,500 records, digest "))
        #expect(try digest(first).count == 32)
        #expect(try folder.output("records diff a.records b.records") == "")
        #expect(
            try folder.output("records copy a.records b.records")
                == "0 records copied, 2,500 already present from a.records to b.records\n"
                + "verified 2,500 records, digest \(try digest(first))\n")
        #expect(try digest(folder.output("records copy a.records - | records copy - c.records")) == digest(first))
    }

    @Test func copyTakesTheRecordsOfAQuery() throws {
        let folder = try SchoolFile.folder()
        #expect(try folder.output("records copy school.records all.records").hasPrefix("6 records copied from"))
        for source in ["school.records", "lines.jsonl"] {
            _ = try folder.output("records copy school.records - > lines.jsonl")
            let copy = try folder.output("records copy \(source) \(source).part Student,Book -w '@name in (cy, 2)'")
            #expect(copy.hasPrefix("2 records copied from \(source) to \(source).part\nverified 2 records, digest "))
            #expect(try folder.output("records query \(source).part --ids | sort") == "Book/2\nStudent/cy\n")
        }
        let part = try folder.output("records copy school.records all.records Book")
        #expect(part.hasPrefix("0 records copied, 2 already present from school.records to all.records\nverified"))
        #expect(
            try folder.run("records copy school.records x.records Pupil").errors.hasPrefix(
                "records: TYPE: there is no type 'Pupil' in school.records"))
    }

    @Test func copyThatBreaksOffGoesOn() throws {
        let folder = try folder()
        // In blocks of 512 bytes: more than one batch of three, and less than two.
        let run = try folder.run("ulimit -f $(($(wc -c < a.records) * 3 / 5 / 512)); records copy a.records b.records")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasSuffix("; 1,000 records before that are saved in b.records\n"), "\(run.errors)")
        let again = try folder.run("records copy a.records b.records")
        #expect(again.status == 0)
        #expect(again.output.hasPrefix("1,500 records copied, 1,000 already present from a.records to b.records\n"))
        #expect(try folder.output("records diff a.records b.records") == "")
    }

    @Test func differentRecordIsRefusedAndReplacedIfAsked() throws {
        let folder = try folder()
        _ = try folder.output("records copy - b.records", input: line(2_100, 0) + "\n" + line(-1) + "\n")
        let run = try folder.run("records copy a.records b.records")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(
            run.errors
                == "records: b.records: A/2100 exists with other content than in a.records; '--overwrite' replaces such "
                + "records, and 'records diff' lists them; 2,000 records before that are saved in b.records\n")
        #expect(try folder.output("records query b.records A --where 'n = 0' --count") == "2\n")
        #expect(
            try folder.output("records copy a.records b.records --overwrite").hasPrefix(
                "499 records copied, 1 replaced, 2,000 already present from a.records to b.records\n"
                    + "1 record only in b.records, which stays\nverified 2,500 records, digest "))
        #expect(try folder.output("records diff b.records a.records || true") == "- A/-1\n")
    }

    @Test func datesAreThoseOfTheCopy() throws {
        let folder = try folder()
        _ = try folder.output("records copy a.records b.records")
        #expect(try folder.run("records diff --metadata a.records b.records").status == 1)
        let run = try folder.run("records query b.records A --where '@created < 2020-01-01' --count")
        #expect(run.output == "0\n")
    }

    @Test func damagedRecordIsNamedAndIsAFailure() async throws {
        let folder = try folder()
        var bytes = try Data(contentsOf: folder.url.appendingPathComponent("a.records"))
        let place = try #require(bytes.firstRange(of: Data("value 1234".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: folder.url.appendingPathComponent("a.records"))
        let run = try folder.run("records copy a.records b.records")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.contains("a.records"))
        #expect(run.errors.contains("A/1234"), "\(run.errors)")
    }

    @Test func wrongInputLeavesNothing() throws {
        let folder = try ToolFolder()
        try folder.write(line(1) + "\n" + line(1, 2) + "\n", to: "a.jsonl")
        #expect(try folder.run("records copy a.jsonl b.records").status == 1)
        #expect(try folder.run("records copy none b.records").status == 1)
        #expect(try folder.run("records copy a.jsonl a.jsonl").status == 2)
        #expect(try folder.output("ls") == "a.jsonl\n")
    }

    #if SQLite
    @Test func damagedRecordOfSQLiteIsNamed() throws {
        let folder = try folder()
        _ = try folder.output("records copy a.records b.sqlite")
        var bytes = try Data(contentsOf: folder.url.appendingPathComponent("b.sqlite"))
        let place = try #require(bytes.firstRange(of: Data("value 1234".utf8)))
        bytes[place.lowerBound] = 0xFF
        try bytes.write(to: folder.url.appendingPathComponent("b.sqlite"))
        let run = try folder.run("records copy b.sqlite c.records")
        #expect(run.status == 1)
        #expect(run.errors.contains("A/1234"), "\(run.errors)")
    }

    @Test func copiesOfAllDatabasesHaveOneDigest() async throws {
        let folder = try folder()
        let first = try digest(folder.output("records copy a.records b.sqlite"))
        var last = "b.sqlite"
        #if PostgreSQL
        let schema = TestServerSchema()
        if TestServerSchema.isThere {
            last = schema.address
            #expect(try digest(folder.output("records copy b.sqlite '\(last)'")) == first)
            #expect(
                try folder.output("records copy a.records '\(last)'").hasPrefix(
                    "0 records copied, 2,500 already present "))
        }
        #endif
        #expect(try digest(folder.output("records copy '\(last)' c.records")) == first)
        #expect(try folder.output("records diff a.records c.records") == "")
    }
    #endif
}
