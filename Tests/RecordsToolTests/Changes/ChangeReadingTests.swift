import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

@Suite struct ChangeReadingTests {
    private let database = InMemoryRecordDatabase()

    /// Follows the database as the tool does a file.
    private func watch(_ arguments: [String], limit: Int? = nil, follows: Bool = false) async throws -> ToolRun {
        let database = database
        let command = Command(
            name: "log", summary: "", examples: [], arguments: [.type], options: ChangeOptions.options
        ) { arguments in
            let options = try ChangeOptions(arguments)
            let reading = ChangeReading(
                feed: database, filter: options.filter,
                printer: ChangeLinePrinter(console: arguments.console, isJSON: options.isJSON, showsToken: true),
                follows: follows, limit: limit)
            let now = try await database.changeToken()
            try await reading.run(from: arguments.isGiven("since") ? options.start(in: database) : now)
            return .done
        }
        let program = Program(name: "records", summary: "", version: "", commands: [command])
        return try await ToolRun.of(program, ["log"] + arguments)
    }

    private func save(_ name: String, _ fields: Record.Fields = [:], type: String = "Book") async throws {
        let record = try Record(id: Record.ID(type: type, name: name), fields: fields)
        try await database.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
    }

    private func delete(_ id: String) async throws {
        try await database.commit(RecordBatch(deletingAnyVersionOf: [Record.ID(id)], savePolicy: .overwrite))
    }

    /// The token that a run printed.
    private func token(of run: ToolRun) throws -> String {
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("next: ") && run.errors.hasSuffix("\n"))
        return String(run.errors.dropFirst(6).dropLast())
    }

    @Test func changesAreLinesAndTheNextRunGoesOn() async throws {
        try await save("before")
        let first = try await watch([])
        #expect(first.output == "")
        try await save("1", ["title": "Sea", "year": 1990, "tags": ["a", "b"]])
        try await save("2")
        try await delete("Book/before")
        let second = try await watch(["--since", try token(of: first)])
        #expect(
            second.output == """
                saved Book/1  title: "Sea"  year: 1990  tags: ["a", "b"]
                saved Book/2
                deleted Book/before

                """)
        try await save("2", ["title": "Two"])
        let third = try await watch(["--since", try token(of: second)])
        #expect(third.output == "saved Book/2  title: \"Two\"\n")
        #expect(try await watch(["--since", try token(of: third)]).output == "")
    }

    @Test func longAndHostileTextsStayOnShortLines() async throws {
        let token = try await database.changeToken().description
        try await save("a\u{202E}b", ["x\u{1b}": .string(String(repeating: "long ", count: 1_000) + "\n")])
        let run = try await watch(["--since", token])
        #expect(run.output.hasPrefix("saved Book/a\\u{202e}b  x\\u{1b}: \"long long "))
        #expect(run.output.hasSuffix("…\n"))
        #expect(run.output.count < 100)
    }

    @Test func objectsHaveTheRecordsAndTheTokens() async throws {
        struct Line: Decodable {
            let saved: Record?
            let deleted: String?
            let token: ChangeToken?
        }
        let start = try await database.changeToken()
        try await save("1", ["title": "Sea"])
        try await save("2")
        try await delete("Book/2")
        let run = try await watch(["--json", "--since", start.description])
        #expect(run.errors == "")
        let lines = try run.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.map { $0.saved?.id.description } == [nil, "Book/1", nil, nil])
        #expect(lines.map(\.deleted) == [nil, nil, "Book/2", nil])
        #expect(lines.map(\.token) == [start, nil, nil, try await database.changeToken()])
        #expect(lines[1].saved?.metadata != nil)
    }

    @Test func typeAndFilterHold() async throws {
        let token = try await database.changeToken().description
        try await save("1", ["year": 1990])
        try await save("2", ["year": 1991])
        try await save("a", ["year": 1990], type: "Film")
        try await save("b", type: "Film")
        try await delete("Film/b")
        try await save("3")
        try await delete("Book/3")
        let films = try await watch(["--since", token, "Film"])
        #expect(films.output == "saved Film/a  year: 1990\ndeleted Film/b\n")
        let old = try await watch(["--since", token, "Book", "--where", "year < 1991"])
        #expect(old.output == "saved Book/1  year: 1990\ndeleted Book/3\n")
        // What is passed over is not looked at again.
        let none = try await watch(["--since", token, "None", "--where", "nothing = 1"])
        #expect(none.output == "")
        #expect(try self.token(of: none) == (try await database.changeToken().description))
    }

    @Test func filterFollowsReferences() async throws {
        try await save("ada", ["name": "Ada"], type: "Author")
        let token = try await database.changeToken().description
        for (number, author) in [(1, "ada"), (2, "bo")] {
            let id = try Record.ID(type: "Author", name: author)
            try await save("\(number)", ["author": .reference(Record.Reference(to: id))])
        }
        let run = try await watch(["--since", token, "--where", "author refers to Author where (name = Ada)"])
        #expect(run.output.split(separator: "\n").count == 1 && run.output.hasPrefix("saved Book/1  "))
    }

    @Test func readingEndsAfterANumberOfChanges() async throws {
        let token = try await database.changeToken().description
        for batch in [["1"], ["2", "3", "4"], ["5"]] {
            let records = try batch.map { try Record(id: Record.ID(type: "Book", name: $0), fields: [:]) }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        }
        let one = try await watch(["--since", token], limit: 1)
        #expect(one.output == "saved Book/1\n")
        // A batch is printed whole.
        let three = try await watch(["--since", try self.token(of: one)], limit: 2)
        #expect(three.output == "saved Book/2\nsaved Book/3\nsaved Book/4\n")
        let rest = try await watch(["--since", try self.token(of: three)])
        #expect(rest.output == "saved Book/5\n")
        for number in 6..<3_000 { try await save("\(number)", ["is": .bool(number == 2_000)]) }
        let found = try await watch(
            ["--since", token, "Book", "--where", "is = true"], limit: 1)
        #expect(found.output == "saved Book/2000  is: true\n")
        let many = try await watch(["--since", token], limit: 1_700)
        #expect(many.output.split(separator: "\n").count == 1_700)
    }

    @Test func cancellationEndsWithTheToken() async throws {
        let token = try await database.changeToken().description
        try await save("1")
        let waiting = Task { try await watch(["--since", token], follows: true) }
        waiting.cancel()
        let run = try await waiting.value
        #expect(run.status == 0)
        let next = try self.token(of: run)
        let rest = try await watch(["--since", next]).output
        #expect(run.output + rest == "saved Book/1\n")
    }

    @Test func changesArePrintedWhileOthersAreWaitedFor() async throws {
        let token = try await database.changeToken().description
        let waiting = Task { try await watch(["--since", token], limit: 20, follows: true) }
        for number in 1...20 { try await save("\(number)") }
        #expect(try await waiting.value.output == (1...20).map { "saved Book/\($0)\n" }.joined())
    }

    @Test(arguments: ["x", "", "####"]) func stringThatIsNotATokenIsAMistakeOfUse(_ text: String) async throws {
        let run = try await watch(["--since", text])
        #expect(run.status == 2)
        #expect(
            run.errors
                == "records: option '--since' must be the unchanged token of an earlier run, or 'now' (see 'records log --help')\n"
        )
    }
}
