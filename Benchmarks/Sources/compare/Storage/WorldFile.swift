import Foundation
import Models
import NestedRecords
import NestedRecordsFile

/// A large real graph, from nested values into a file and back: the data set is not part of the package.
enum WorldFile {
    /// The data set, where the environment variable `NESTED_RECORDS_WORLD` has its path.
    static var url: URL? {
        ProcessInfo.processInfo.environment["NESTED_RECORDS_WORLD"].map { URL(fileURLWithPath: $0) }
    }

    static func planet(at url: URL) throws -> Planet {
        try JSONDecoder().decode(Planet.self, from: Data(contentsOf: url))
    }

    /// Saves the graph, closes the file, opens it and decodes the graph, several times.
    static func run(rounds: Int, at url: URL) async throws -> Section {
        let planet = try planet(at: url)
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "world.records").path
        var seconds: [String: [Double]] = [:]
        var section = Section("world", "The world: nested values into a file and back")
        let steps = ["encode", "save and close", "open", "fetch and decode"]
        for round in 0..<rounds {
            if round > 0 { try FileManager.default.removeItem(atPath: path) }
            var graph = RecordGraph?.none
            seconds["encode", default: []].append(
                try await time { graph = try RecordEncoder().encode(planet) }.seconds)
            guard let graph else { throw SQLiteFailure(message: "the graph is missing") }
            seconds["save and close", default: []].append(
                try await time {
                    let database = try FileRecordDatabase(path: path)
                    try await database.save(graph, savePolicy: .overwrite)
                    try await database.close()
                }.seconds)
            let start = ContinuousClock.now
            let database = try FileRecordDatabase(path: path, options: .readOnly)
            try await database.prepare()
            seconds["open", default: []].append(start.duration(to: .now).seconds)
            var loaded = Planet?.none
            seconds["fetch and decode", default: []].append(
                try await time { loaded = try await RecordStore(database).fetch(Planet.self, named: planet.id).value }
                    .seconds)
            guard loaded == planet else { throw SQLiteFailure(message: "the graph has changed in the file") }
            if round == 0 {
                section.add("records", Double(graph.count), "")
                section.add("file", try FileManager.default.fileSize(at: URL(filePath: path)) / 1e6, "MB")
                section.add("the same as JSON", try FileManager.default.fileSize(at: url) / 1e6, "MB")
            }
        }
        if rounds == 1 { section.notes.append("Left out by --quick: all rounds but one.") }
        for step in steps { section.add(step, (seconds[step] ?? []).median * 1e3, "ms") }
        return section
    }
}
