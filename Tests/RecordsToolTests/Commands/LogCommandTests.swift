import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

/// The command `log`, on files that other processes write.
@Suite struct LogCommandTests {
    private func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        _ = try folder.output("records copy - a.records", input: line("Book/1", #""title":"Sea""#) + line("Book/2"))
        return folder
    }

    private func line(_ id: String, _ fields: String = "") -> String { "{\"id\":\"\(id)\",\"fields\":{\(fields)}}\n" }

    /// Saves a record in the file from this process, and deletes others.
    private func change(_ folder: ToolFolder, saving names: [String], deleting deleted: [String] = []) async throws {
        let database = try FileRecordDatabase(path: folder.path("a.records"))
        for name in names {
            let record = try Record(id: Record.ID(type: "Book", name: name), fields: ["title": .string("T\(name)")])
            try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
        }
        let ids = try deleted.map { try Record.ID(type: "Book", name: $0) }
        try await database.commit(RecordBatch(deletingAnyVersionOf: ids, savePolicy: .overwrite))
        try await database.close()
    }

    private let token = "$(sed -n 's/^next: //p' next)"

    @Test func logHasTheNewestStatesAndDeletionsInOrder() async throws {
        let folder = try folder()
        try await change(folder, saving: ["3", "1"], deleting: ["2"])
        #expect(try folder.run("records log a.records").errors == "")
        #expect(
            try folder.output("records log a.records -n 9 2>next")
                == "saved Book/3  title: \"T3\"\nsaved Book/1  title: \"T1\"\ndeleted Book/2\n")
        #expect(try folder.text(of: "next").hasPrefix("next: "))
        #expect(try folder.output("records log a.records --since=\(token) 2>last") == "")
        #expect(try folder.text(of: "last") == folder.text(of: "next"))
        try await change(folder, saving: ["4"])
        #expect(try folder.output("records log a.records --since=\(token) 2>last") == "saved Book/4  title: \"T4\"\n")
        #expect(
            try folder.output("records log a.records Book --where 'title = T4' 2>last")
                == "saved Book/4  title: \"T4\"\ndeleted Book/2\n")
        #expect(try folder.output("records log a.records Film 2>last") == "")
    }

    @Test func historyGoesOnAfterACompaction() async throws {
        let folder = try folder()
        try await change(folder, saving: ["3"], deleting: ["2"])
        _ = try folder.output("records log a.records --since=now 2>next")
        _ = try folder.output("records compact a.records")
        let log = try folder.output("records log a.records 2>last")
        #expect(
            Set(log.split(separator: "\n")) == [
                "saved Book/1  title: \"Sea\"", "saved Book/3  title: \"T3\"", "deleted Book/2",
            ])
        try await change(folder, saving: ["4"], deleting: ["1"])
        #expect(
            try folder.output("records log a.records --since=\(token) 2>last")
                == "saved Book/4  title: \"T4\"\ndeleted Book/1\n")
    }

    @Test func linesOfJSONAreTheSame() throws {
        let folder = try folder()
        let json = "records log a.records --json | sed 's/,\"metadata.*/}}/; s/{\"token\":\".*\"}/TOKEN/'"
        #expect(
            try folder.output(json)
                == """
                TOKEN
                {"saved":{"id":"Book/1","fields":{"title":"Sea"}}}
                {"saved":{"id":"Book/2","fields":{}}}
                TOKEN

                """)
        #expect(
            try folder.output(
                "records log a.records --json | tail -1 | cut -d '\"' -f 4 > t; records log a.records --since=$(cat t) 2>&1"
            )
                == "next: \(try folder.text(of: "t"))")
    }

    @Test func followingBeginsNowAndGoesOnFromItsToken() async throws {
        let folder = try folder()
        #expect(try folder.output("records log a.records --since=now 2>next") == "")
        try await change(folder, saving: ["3"])
        #expect(
            try folder.output("records log a.records --follow --since=\(token) -n 1 2>last")
                == "saved Book/3  title: \"T3\"\n")
    }

    @Test func followingSeesWhatAnotherProcessSaves() async throws {
        let folder = try folder()
        let watch = try Watch(["a.records", "Book"], in: folder)
        try await change(folder, saving: ["3", "4"])
        try watch.waitForOutput { $0.contains("Book/4") }
        _ = try folder.output("records copy - a.records", input: line("Film/1") + line("Book/5"))
        try watch.waitForOutput { $0.contains("Book/5") }
        let run = try watch.interrupt()
        #expect(run.output == "saved Book/3  title: \"T3\"\nsaved Book/4  title: \"T4\"\nsaved Book/5\n")
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("next: "))
        try await change(folder, saving: ["6"])
        let next = run.errors.dropFirst(6).dropLast()
        #expect(
            try folder.output("records log a.records --follow --since=\(next) --limit=1 2>last")
                == "saved Book/6  title: \"T6\"\n")
    }

    @Test func followingGoesOnAfterACompaction() async throws {
        let folder = try folder()
        let watch = try Watch(["a.records"], in: folder)
        try await change(folder, saving: ["3"])
        try watch.waitForOutput { $0.contains("Book/3") }
        _ = try folder.output("records compact a.records")
        try await change(folder, saving: ["4"], deleting: ["1"])
        try watch.waitForOutput { $0.contains("deleted") }
        #expect(
            try watch.interrupt().output
                == "saved Book/3  title: \"T3\"\nsaved Book/4  title: \"T4\"\ndeleted Book/1\n")
    }

    @Test(arguments: ["", "--follow"]) func linesHaveNoHistory(_ option: String) throws {
        let folder = try folder()
        try folder.write(line("Book/1"), to: "a.jsonl")
        for input in ["a.jsonl", "-"] { #expect(try folder.run("records log \(input) \(option)").status == 1) }
    }

    @Test(arguments: ["--follow", ""]) func tokenOfAnotherFileIsRefused(_ option: String) throws {
        let folder = try folder()
        _ = try folder.output("records copy - b.records", input: line("Book/1"))
        _ = try folder.output("records log b.records --since=now 2>next")
        let run = try folder.run("records log a.records \(option) --since=\(token)")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasSuffix("records: a.records: the change token belongs to another database\n"))
        let noToken = try folder.run("records log a.records \(option) --since=x")
        #expect(noToken.status == 2)
    }
}
