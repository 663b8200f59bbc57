import Foundation
import NestedRecords
import Testing

@testable import records

/// What commands end with where nobody reads what they print any more.
@Suite struct UnreadOutputTests {
    /// More lines than the buffer before a stream holds.
    private static let manyCount = 3_000

    /// The status of a command whose output is a pipe without a reader.
    private func status(_ arguments: [String], in folder: ToolFolder) async throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let errors = try #require(tmpfile())
        defer { fclose(errors) }
        let console = Console(outputDescriptor: ends[1], errorDescriptor: fileno(errors), environment: [:])
        let words = arguments.map { $0.contains(".") ? folder.path($0) : $0 }
        return await Records.program.run(words, console: console).rawValue
    }

    private func lines(_ count: Int, _ fields: String) -> [String] {
        (0..<count).map { #"{"id":"Person/\#($0)","fields":{\#(fields)}}"# }
    }

    @Test(arguments: [1, manyCount], [[], ["--summary"]])
    func differencesAreFound(_ count: Int, _ options: [String]) async throws {
        let folder = try ToolFolder()
        try folder.write(lines(count, #""n":1"#), to: "a.jsonl")
        try folder.write(lines(count, #""n":2"#), to: "b.jsonl")
        #expect(try await status(["diff", "a.jsonl", "b.jsonl"] + options, in: folder) == 1)
        #expect(try await status(["diff", "a.jsonl", "a.jsonl"] + options, in: folder) == 0)
    }

    @Test(arguments: [1, manyCount]) func problemsAreFound(_ count: Int) async throws {
        let folder = try ToolFolder()
        try folder.write(lines(count, #""to":{"$ref":"Ghost/1"}"#), to: "a.jsonl")
        try folder.write(lines(count, ""), to: "b.jsonl")
        #expect(try await status(["verify", "a.jsonl"], in: folder) == 1)
        #expect(try await status(["verify", "b.jsonl"], in: folder) == 0)
    }

    @Test(arguments: [2, manyCount]) func damageIsFound(_ count: Int) async throws {
        let folder = try ToolFolder()
        try await folder.save(lines(count, #""n":"a text of some length""#), to: "a.records")
        #expect(try await status(["copy", "a.records", "-", "--salvage"], in: folder) == 0)
        _ = try folder.damage("a.records", at: "of some")
        #expect(try await status(["copy", "a.records", "-", "--salvage"], in: folder) == 1)
    }

    @Test(arguments: [1, manyCount]) func recordsThatCannotBeChangedAreFound(_ count: Int) async throws {
        let folder = try ToolFolder()
        try await folder.save(
            lines(count, #""n":1"#) + (0..<count).map { #"{"id":"Pupil/\#($0)","fields":{}}"# }, to: "a.records")
        #expect(try await status(["migrate", "a.records", "--yes", "--type", "Person=Pupil"], in: folder) == 1)
        #expect(try await status(["migrate", "a.records", "--yes", "--type", "Pupil=Child"], in: folder) == 0)
    }
}
