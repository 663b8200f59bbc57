import Foundation
import TestSupport
import Testing

@testable import records

@Suite struct ServerInputTests {
    #if PostgreSQL
    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func databasesOnAServerAreReadAndWritten() throws {
        let folder = try SchoolFile.folder()
        let schema = TestServerSchema()
        let server = "'\(schema.address)'"
        #expect(
            try folder.output("records copy school.records - | records copy - \(server)").hasPrefix(
                "saved 6 records in postgresql://"))
        #expect(
            try folder.output("records query \(server) Book --where 'title ~ atlas' --ids") == "Book/1\n")
        #expect(
            try folder.output("records nest \(server) Student/bo --compact")
                == folder.output("records nest school.records Student/bo --compact"))
        #expect(
            try folder.output("records get \(server) School/hilltop --tree")
                == folder.output("records get school.records School/hilltop --tree"))
        #expect(try folder.output("records copy \(server) - | grep -vc NestedRecords.Document") == "6\n")
        #expect(try folder.output("records query \(server) Person --sort name").contains("Ada"))
        #expect(try folder.output("records get \(server) Book/2").contains("Stars"))
        #expect(try folder.output("records ls \(server) --sizes").contains("Student"))
        #expect(try folder.output("records graph \(server)").contains("School"))
        #expect(try folder.output("records verify \(server) --root School/hilltop") == "6 records, no problems\n")
        #expect(try folder.output("records diff school.records \(server)") == "")
        #expect(
            try folder.output("records migrate \(server) --yes --type Student=Pupil").hasSuffix(
                ": 6 records, 3 rewritten (2 with another type)\n"))
        #expect(try folder.run("records diff school.records \(server) --summary").status == 1)
        #expect(try folder.run("records compact \(server)").errors.contains("only record files are compacted"))
    }

    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func changesOnAServerAreTakenBackAndMadeAgain() throws {
        let folder = try SchoolFile.folder()
        let schema = TestServerSchema()
        let server = "'\(schema.address)'"
        let differences = "records diff school.records \(server) -s"
        _ = try folder.output("records copy school.records \(server)")
        _ = try folder.output("records delete \(server) Book/2 --clear --yes")
        let deleted = try folder.run(differences)
        #expect(deleted.status == 1)
        #expect(try folder.output("records undo \(server) --yes") == "3 records changed, to undo 'delete'\n")
        #expect(try folder.output(differences) == "no differences\n")
        #expect(try folder.output("records undo \(server) --yes") == "3 records changed, to redo 'delete'\n")
        #expect(try folder.run(differences) == deleted)
        _ = try folder.output("records undo \(server) --yes")
        // A step of several batches is taken back whole.
        _ = try folder.output("records migrate \(server) -t Student=Pupil -b 1 --yes")
        #expect(try folder.output("records undo \(server) --yes") == "5 records changed, to undo 'migrate'\n")
        #expect(try folder.output(differences) == "no differences\n")
        // A record that others have changed since prevents it.
        _ = try folder.output("records set \(server) Book/1 title=Sea")
        _ = try folder.output("records set \(server) Book/1 title=Hills --no-undo")
        let run = try folder.run("records undo \(server) --yes")
        #expect(run.status == 1 && run.errors.contains("Book/1"), "\(run)")
        #expect(try folder.output("records get \(server) Book/1").contains("Hills"))
    }

    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func indexesOnAServerAreListedAndAdded() throws {
        let folder = try SchoolFile.folder()
        let schema = TestServerSchema()
        let server = "'\(schema.address)'"
        _ = try folder.output("records copy school.records - | records copy - \(server)")
        #expect(try folder.output("records index \(server) Book title").hasSuffix(": added the index Book by title\n"))
        #expect(try folder.output("records index \(server)") == "type  fields\nBook  title\n")
        let run = try folder.run("records index \(server) --remove Book title")
        #expect(run.status == 1)
        #expect(run.errors.hasSuffix("is on a server, where no index is removed\n"))
    }

    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func changesOnAServerArePrinted() throws {
        let folder = try ToolFolder()
        let schema = TestServerSchema()
        let server = "'\(schema.address)'"
        let lines = (1...3).map { "{\"id\":\"A/\($0)\",\"fields\":{}}\n" }
        _ = try folder.output("records copy - \(server)", input: lines[0])
        #expect(try folder.output("records log \(server) -n 9 2>next") == "saved A/1\n")
        _ = try folder.output("records copy - \(server)", input: lines[1] + lines[2])
        let token = "\"$(sed 's/^next: //' next)\""
        #expect(
            try folder.output("records log \(server) --follow -n 2 --since=\(token) 2>last")
                == "saved A/2\nsaved A/3\n")
        #expect(try folder.output("records log \(server) --since=now 2>last") == "")
    }

    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func readingMakesNoTables() throws {
        let folder = try ToolFolder()
        let schema = TestServerSchema()
        let server = "'\(schema.address)'"
        for command in ["query", "verify", "log", "ls"] {
            let run = try folder.run("records \(command) \(server)")
            #expect(run.status == (command == "verify" ? 2 : 1))
            #expect(run.errors.contains("has no record tables; 'records copy'"))
        }
    }

    @Test(.enabled(if: TestServerSchema.isThere, TestServerSchema.reason))
    func passwordsAreNotShown() throws {
        let folder = try SchoolFile.folder()
        let schema = TestServerSchema()
        let server = TestServerSchema.server.replacing("//postgres@", with: "//postgres:hidden@")
        try #require(server.contains("hidden"))
        let parameter = "schema=\(schema.name)"
        for command in [
            "copy school.records '\(server)?\(parameter)'", "get '\(server)?\(parameter)' A/none",
            "query '\(server)none?password=hidden'", "flatten school.json --into '\(server)?\(parameter)'",
            "migrate '\(server)?\(parameter)' --type Student=Pupil", "query '\(server)?hidden=hidden'",
        ] {
            let run = try folder.run("records \(command)")
            #expect(run.output.contains("postgresql://postgres@") || run.errors.contains("postgresql://postgres@"))
            #expect(!run.output.contains("hidden") && !run.errors.contains("hidden"))
        }
        let difference = try folder.run("records diff '\(server)?\(parameter)&password=hidden' school.json")
        #expect(!difference.output.contains("hidden") && !difference.errors.contains("hidden"), "\(difference)")
    }

    @Test(.enabled(if: TestServerSchema.isThere && TestServerSchema.psql != nil, TestServerSchema.reason))
    func damagedRecordOnAServerIsNamed() throws {
        let folder = try SchoolFile.folder()
        let schema = TestServerSchema()
        _ = try folder.output("records copy school.records '\(schema.address)'")
        try schema.run("UPDATE SCHEMA.records SET body = decode('00', 'hex') WHERE name = 'bo'")
        for command in ["copy '\(schema.address)' new.records", "verify '\(schema.address)'"] {
            let run = try folder.run("records \(command)")
            #expect(run.status == 1)
            #expect((run.output + run.errors).contains("Student/bo"))
        }
        // All damage is found, not only the first.
        try schema.run("UPDATE SCHEMA.records SET name = 'a/' || chr(10) WHERE type = 'School'")
        let run = try folder.run("records verify '\(schema.address)'")
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 4 && lines.last == "2 problems", "\(run.output)")
        #expect(lines.contains { $0.contains("Student/bo") && $0.hasSuffix("or overwrite it") })
        #expect(lines.contains { $0.contains("remove the row with the SQL statement: DELETE FROM") })
    }

    @Test(.enabled(if: TestServerSchema.isThere && TestServerSchema.psql != nil, TestServerSchema.reason))
    func interruptedCopyEndsAtOnce() throws {
        let folder = try SchoolFile.folder()
        let schema = TestServerSchema()
        _ = try folder.output("records copy /dev/null '\(schema.address)'")
        // Another program keeps the copy waiting until its input ends.
        let (lock, input) = (Process(), Pipe())
        lock.executableURL = URL(fileURLWithPath: try #require(TestServerSchema.psql))
        lock.arguments = ["-q", TestServerSchema.server]
        lock.standardInput = input
        lock.standardOutput = FileHandle.nullDevice
        try lock.run()
        defer {
            try? input.fileHandleForWriting.close()
            lock.waitUntilExit()
        }
        try input.fileHandleForWriting.write(
            contentsOf: Data("BEGIN; LOCK TABLE \"\(schema.name)\".records IN SHARE MODE;\n".utf8))
        func wait(until isGranted: String) throws {
            let query = """
                SELECT count(*) FROM pg_locks WHERE relation = 'SCHEMA.records'::regclass AND mode
                """
            try blockUntil { try schema.run("\(query) \(isGranted)").output != "0\n" }
        }
        try wait(until: "= 'ShareLock' AND granted")
        let copy = Process()
        copy.executableURL = URL(fileURLWithPath: Shell.tool)
        copy.arguments = ["copy", folder.path("school.records"), schema.address]
        try folder.write("", to: "errors")
        copy.standardError = try FileHandle(forWritingTo: folder.url.appendingPathComponent("errors"))
        try copy.run()
        try wait(until: "= 'RowExclusiveLock' AND NOT granted")
        copy.interrupt()
        copy.waitUntilExit()
        #expect(copy.terminationStatus == 130)
        #expect(
            try folder.text(of: "errors")
                == "records: interrupted; 0 records copied; run the same command to continue\n")
        #expect(try schema.run("SELECT count(*) FROM SCHEMA.records").output == "0\n")
    }
    #else
    @Test(arguments: [
        "ls FILE --sizes", "query FILE A", "verify FILE", "log FILE", "copy FILE -", "copy school.records FILE",
        "copy FILE new.records",
    ])
    func aBuildWithoutPostgreSQLSaysSo(_ command: String) throws {
        let folder = try SchoolFile.folder()
        let run = try folder.run(
            "records \(command.replacing("FILE", with: "'postgresql://ada:hidden@db.example.com/school'"))")
        let reason = "is on a PostgreSQL server; this build does not support it, build it with '--traits PostgreSQL'"
        let status: Int32 = command.hasPrefix("verify") ? 2 : 1
        let text = "records: postgresql://ada@db.example.com/school: \(reason)\n"
        #expect(run == ToolRun(status: status, output: "", errors: text))
    }
    #endif
}
