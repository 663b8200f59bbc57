import Foundation
@_spi(Engines) import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

/// An empty folder in which the built tool is run, removed at the end.
final class ToolFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }

    /// Runs a script in the folder, with the built tool as `records`.
    func run(_ script: String, input: String = "") throws -> ToolRun {
        try Shell.run("cd '\(url.path)' && { \(script)\n}", input: input)
    }

    /// Runs a script that must end well without a word of error, and gives what it printed.
    func output(_ script: String, input: String = "") throws -> String {
        let run = try run(script, input: input)
        try #require(run.errors == "")
        try #require(run.status == 0)
        return run.output
    }
}

extension ToolFolder {
    /// Makes a file of lines.
    func write(_ lines: [String], to name: String) throws { try write(lines.map { $0 + "\n" }.joined(), to: name) }

    /// Makes a record file of typed lines, all saved at one time.
    func save(_ lines: [String], to name: String) async throws {
        let database = try database(name)
        try await database.commit(RecordBatch(saving: try lines.map(Self.record), savePolicy: .overwrite))
        try await database.close()
    }

    /// Opens a record file for writing, with a clock that stands still.
    func database(_ name: String) throws -> FileRecordDatabase {
        var options = FileRecordDatabase.Options()
        options.now = { Date(timeIntervalSinceReferenceDate: 700_000_000) }
        options.durability = .relaxed
        return try FileRecordDatabase(path: path(name), options: options)
    }

    /// The record of a typed line; its fields keep their order.
    static func record(_ line: String) throws -> Record {
        var reader = RecordLineReader(Array(line.utf8))
        return try #require(try reader.next())
    }
}

/// The package's own sample.
enum SchoolFile {
    static var url: URL {
        var package = URL(filePath: #filePath)
        // Tests/RecordsToolTests/Support/ToolFolder.swift
        for _ in 1...4 { package.deleteLastPathComponent() }
        return package.appending(path: "Samples/school.json")
    }

    /// A folder with the sample as `school.json`, and its records in `school.records`.
    static func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        try FileManager.default.copyItem(at: url, to: folder.url.appendingPathComponent("school.json"))
        let types = "--type School --map students=Student --map headOfSchool=Person --map books=Book --map reads=Book"
        let options = "--exactly \(types) --location location --into school.records"
        let said = try folder.output("records flatten school.json \(options)")
        try #require(said == "saved 6 records in school.records: Book 2, Person 1, School 1, Student 2\n")
        return folder
    }
}
