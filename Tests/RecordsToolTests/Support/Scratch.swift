import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

/// A folder for the files of one test, removed with it.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Makes a file of lines.
    func write(_ lines: [String], to name: String) throws {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: folder.appendingPathComponent(name))
    }

    /// Makes a record file of typed lines, all saved at one time.
    func save(_ lines: [String], to name: String) async throws {
        let database = try database(name)
        _ = try await database.modifyRecords(
            saving: try lines.map(Self.record), deleting: [], savePolicy: .automatic)
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

    /// Runs a script in the folder, with the built tool as `records`.
    func run(_ script: String, input: String = "") throws -> ToolRun {
        try Shell.run("cd '\(folder.path)' || exit 99\n\(script)", input: input)
    }
}
