import Foundation
import NestedRecords
import Testing

@testable import records

#if SQLite
import NestedRecordsSQLite
#endif

@Suite struct SQLiteInputTests {
    #if SQLite
    private func folder() async throws -> ToolFolder {
        let folder = try ToolFolder()
        let database = try SQLiteRecordDatabase(path: folder.path("school.sqlite"))
        let bo = try Record(id: Record.ID("Person/bo"), fields: ["name": "Bo"])
        let reference = Record.Value.reference(Record.Reference(to: bo.id))
        try await database.commit(
            RecordBatch(saving: [
                bo, try Record(id: Record.ID("School/hilltop"), fields: ["name": "Hilltop", "head": reference]),
            ]))
        try await database.close()
        return folder
    }

    @Test func databasesOfSQLiteAreRead() async throws {
        let folder = try await folder()
        #expect(
            try folder.output("records query school.sqlite School --where 'name = Hilltop' --ids")
                == "School/hilltop\n")
        #expect(
            try folder.output("records nest school.sqlite School/hilltop --compact").contains("\"name\":\"Bo\""))
        #expect(try folder.output("records copy school.sqlite - | wc -l").contains("2"))
        #expect(try folder.output("records ls school.sqlite --sizes").contains("records"))
        #expect(try folder.output("records verify school.sqlite").contains("2 records"))
        #expect(try folder.output("records query school.sqlite Person --sort name").contains("Bo"))
    }

    /// SQLite removes its log, which may have the last changes, when the last connection is closed.
    @Test(arguments: [
        "set school.sqlite Person/bo name=Bob", "delete school.sqlite Person/bo --clear --yes",
        "migrate school.sqlite --type Person=Pupil --yes",
    ])
    func commandThatChangesADatabaseOfSQLiteLeavesOneFile(_ command: String) async throws {
        let folder = try await folder()
        _ = try folder.output("records \(command)")
        #expect(try folder.output("ls") == "school.sqlite\n")
    }

    @Test func indexesOfADatabaseOfSQLiteAreListedAddedAndRemoved() async throws {
        let folder = try await folder()
        #expect(try folder.output("records index school.sqlite") == "type  fields\n")
        #expect(
            try folder.output("records index school.sqlite School name @modified")
                == "school.sqlite: added the index School by name, @modified\n")
        _ = try folder.output("records index school.sqlite Person name")
        // Another process maintains them, and queries use them.
        _ = try folder.output("records copy - school.sqlite", input: #"{"id":"School/s","fields":{"name":"S"}}"# + "\n")
        #expect(
            try folder.output("records query school.sqlite School --where 'name = S' --explain").contains(
                "index"))
        #expect(
            try folder.output("records query school.sqlite School --where 'name = S' --ids") == "School/s\n")
        #expect(
            try folder.output("records index school.sqlite --remove School name @modified")
                == "school.sqlite: removed the index School by name, @modified\n")
        #expect(try folder.output("records index school.sqlite") == "type    fields\nPerson  name\n")
        #expect(try folder.output("records verify school.sqlite").contains("no problems"))
    }

    @Test func fieldsForSQLAreWrittenNowAndWithEachSave() async throws {
        let folder = try await folder()
        let names = "sqlite3 school.sqlite \"SELECT fields->>'name' FROM readable_records WHERE type = 'Person'\""
        #expect(try folder.output(names) == "\n")
        #expect(
            try folder.output("records index school.sqlite --sql")
                == "school.sqlite: the fields of each record are there for SQL\n")
        #expect(try folder.output(names) == "Bo\n")
        _ = try folder.output("records set school.sqlite Person/bo name=Bob")
        #expect(try folder.output(names) == "Bob\n")
    }

    @Test func copiesInSQLiteHaveFieldsForSQL() async throws {
        let folder = try await folder()
        _ = try folder.output("records copy school.sqlite copy.sqlite")
        #expect(
            try folder.output("sqlite3 copy.sqlite 'SELECT fields FROM readable_records ORDER BY name'")
                == #"{"name":"Bo"}"# + "\n" + #"{"name":"Hilltop","head":"Person/bo"}"# + "\n")
    }

    @Test(arguments: [
        ("school.sqlite Person name", "school.sqlite: has the index Person by name already", 1),
        ("school.sqlite --remove Person x", "school.sqlite: has no index Person by x", 1),
        ("school.sqlite Persn name", "TYPE: there is no type 'Persn' in school.sqlite; did you mean 'Person'?", 2),
        (
            "school.sqlite School nam",
            "FIELD: no record of the type School in school.sqlite has a field 'nam'; did you mean 'name'?", 2
        ),
        ("school.sqlite Person", "FIELD is missing", 2),
        ("school.sqlite Person @id", "FIELD must be a field, and not '@id'", 2),
        ("school.sqlite --remove", "option '--remove' needs TYPE and FIELD", 2),
        ("school.sqlite Person name --sql", "option '--sql' is not for one index", 2),
    ])
    func indexThatCannotBeMadeOrRemovedIsAnError(_ arguments: String, _ text: String, _ status: Int32) async throws {
        let folder = try await folder()
        _ = try folder.output("records index school.sqlite Person name")
        let hint = status == 2 ? " (see 'records index --help')" : ""
        #expect(try folder.run("records index \(arguments)") == .error(text + hint, status: status))
    }

    @Test func changesInADatabaseOfSQLiteArePrinted() async throws {
        let folder = try await folder()
        #expect(
            try folder.output("records log school.sqlite -n 9 2>next")
                == "saved Person/bo  name: \"Bo\"\nsaved School/hilltop  name: \"Hilltop\"  head: → Person/bo\n")
        _ = try folder.output("records copy - school.sqlite", input: "{\"id\":\"Person/cy\",\"fields\":{}}\n")
        let token = "\"$(sed 's/^next: //' next)\""
        for command in ["log", "log --limit 1"] {
            #expect(
                try folder.output("records \(command) school.sqlite --since=\(token) 2>last")
                    == "saved Person/cy\n")
        }
    }

    @Test func aNewFileIsOneOfSQLiteByItsName() throws {
        let folder = try SchoolFile.folder()
        #expect(
            try folder.output("records copy school.records - | records copy - new.sqlite").hasPrefix(
                "saved 6 records in new.sqlite\n"))
        #expect(try folder.output("head -c 15 new.sqlite") == "SQLite format 3")
        #expect(
            try folder.output("records flatten -q school.json --into nested.db").hasPrefix("saved 6 records in nested")
        )
        #expect(
            try folder.output("records migrate nested.db --yes --type Book=Volume")
                == "nested.db: 6 records, 5 rewritten (2 with another type)\n")
        #expect(
            try folder.run("records compact nested.db").errors
                == "records: nested.db: is not a record file; only record files are compacted\n")
    }

    @Test func recordThatAnotherProgramSavesWhileItIsEditedIsShownBesideTheText() async throws {
        let folder = try SchoolFile.folder()
        try folder.write(
            """
            #!/bin/sh
            sed -i 's/Hilltop/Hill/' "$1"
            records set school.sqlite School/hilltop name=Other founded=1900 >/dev/null
            """, to: "editor")
        _ = try folder.output("records copy school.records school.sqlite; chmod +x editor")
        let run = try folder.run("TMPDIR=$PWD VISUAL=./editor records edit school.sqlite School/hilltop")
        #expect(run.status == 1)
        #expect(run.errors.contains("was saved by another program in between"))
        let row = run.errors.split(separator: "\n").first { $0.hasPrefix("name") } ?? ""
        #expect(row.contains("Hilltop School") && row.contains("Other") && row.contains("Hill School"))
        #expect(try folder.output("cat records-*.json").contains("Hill School"))
        #expect(try folder.output("records get school.sqlite School/hilltop --format jsonl").contains("Other"))
    }

    @Test func damageInADatabaseOfSQLiteIsFound() async throws {
        let folder = try await folder()
        let bytes = try Data(contentsOf: folder.url.appendingPathComponent("school.sqlite"))
        let name = try #require(bytes.firstRange(of: Data("Hilltop".utf8)))
        var damaged = bytes
        damaged[name.lowerBound] = 0xFF
        try damaged.write(to: folder.url.appendingPathComponent("school.sqlite"))
        let run = try folder.run("records verify school.sqlite")
        #expect(run.status == 1 && run.output.contains("School/hilltop"))
    }

    @Test func everyChangeOfOtherProcessesIsWatched() async throws {
        let folder = try await folder()
        let watch = try Watch(["school.sqlite"], in: folder)
        for number in 1...3 {
            _ = try folder.output(
                "records copy - school.sqlite", input: "{\"id\":\"A/\(number)\",\"fields\":{}}\n")
            try watch.waitForOutput { $0.contains("A/\(number)") }
        }
    }

    @Test func nothingThatIsSavedWhileRecordsMigrateIsLost() async throws {
        let folder = try await folder()
        let lines = (1...2_000).map { "{\"id\":\"A/\($0)\",\"fields\":{}}\n" }.joined()
        _ = try folder.output("records copy - school.sqlite", input: lines)
        let script = """
            { records migrate school.sqlite --yes --type A=B --batch 1 >migrated; touch ended; } &
            for number in 1 2 3 4 5 6 7 8; do
                echo '{"id":"Z/'$number'","fields":{}}' | records copy - school.sqlite | head -1
            done
            # The test blocks the signal that 'wait' would wait for.
            until [ -e ended ]; do sleep 0.02; done
            records query school.sqlite Z --count
            records verify school.sqlite
            """
        let saved = String(repeating: "saved 1 record in school.sqlite\n", count: 8)
        #expect(try folder.output(script) == saved + "8\n2,010 records, no problems\n")
    }

    #if os(Linux)
    @Test func locksOfSQLiteStayWhereItsFileIsOpenedAgain() async throws {
        let folder = try await folder()
        let path = folder.path("school.sqlite")
        let input = try await RecordInput(path)
        #expect(try await input.count() == 2)
        for _ in 1...2 { #expect(try await RecordInput(path).count() == 2) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let node = try #require(attributes[.systemFileNumber] as? Int)
        // The kernel gives the list in parts, of which Foundation reads the first alone; and a part may lack a lock while
        // other processes lock files.
        let hasLock = try (0..<20).contains { _ in
            let locks = try folder.output("cat /proc/locks").split(separator: "\n")
            return locks.contains { $0.contains(" \(getpid()) ") && $0.contains(":\(node) ") }
        }
        #expect(hasLock)
        #expect(try await input.count() == 2)
    }
    #endif

    @Test func otherDatabasesOfSQLiteAreNamed() throws {
        let folder = try ToolFolder()
        try folder.write("SQLite format 3\0and nothing else", to: "x.sqlite")
        let run = try folder.run("records query x.sqlite")
        #expect(run.status == 1 && run.errors.contains("x.sqlite"))
    }
    #else
    @Test(arguments: ["ls x --sizes", "query x A", "verify x", "compact x"])
    func aBuildWithoutSQLiteSaysSo(_ command: String) throws {
        let folder = try ToolFolder()
        try folder.write("SQLite format 3\0", to: "x")
        let run = try folder.run("records \(command)")
        let reason = "x: is a SQLite database; this build does not support it, build it with '--traits SQLite'"
        let status: Int32 = command.hasPrefix("verify") ? 2 : 1
        #expect(run == ToolRun(status: status, output: "", errors: "records: \(reason)\n"))
    }
    #endif
}
