import Foundation
import NestedRecords
import NestedRecordsFile

/// Opening a store of a million records in a process of its own: the time, and the memory that it takes.
struct MillionRecords {
    private let count: Int
    private let folder: URL

    init(count: Int) throws {
        self.count = count
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> Section {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("million", "\(count) records, each store opened in a process of its own")
        var openings: [(name: String, median: Double)] = []
        var fetches: [(name: String, median: Double)] = []
        for engine in Self.engines {
            let path = folder.appending(path: engine.name).path
            try await fill(engine.init(path: path))
            let runs = try (0..<5).map { _ in try Opening(engine.name, path: path, count: count) }
            openings.append((engine.name, runs.map(\.opened).median))
            fetches.append((engine.name, runs.map(\.fetched).median))
            section.add("memory of \(engine.name) after opening", runs.map(\.memory).median / 1e6, "MB")
            section.add("peak memory of \(engine.name)", runs.map(\.peak).median / 1e6, "MB")
            if engine.name == FileEngine.name { try await addFigures(of: path, runs, to: &section) }
            // One store at a time on the disk and in the system's cache.
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).forEach {
                try FileManager.default.removeItem(at: $0)
            }
        }
        let target = [Target("file", to: "sqlite")]
        section.comparisons = [
            Comparison("open and fetch 1", count: 1, seconds: openings, targets: target),
            Comparison(
                "fetch 1000 random", count: 1_000, seconds: fetches,
                targets: [Target("file", to: "sqlite", atMost: 0.5)]),
        ]
        if count < 1_000_000 { section.notes.append("Left out by --quick: the rest of the million.") }
        return section
    }

    static let engines: [any StorageEngine.Type] = [FileEngine.self, SQLiteEngine.self, GRDBEngine.self]

    private func fill(_ engine: some StorageEngine) async throws {
        let records = StorageRecords()
        for start in stride(from: 0, to: count, by: 50_000) {
            try await engine.save(try records.records(start..<min(start + 50_000, count)))
        }
        try await engine.close()
    }

    private func addFigures(of path: String, _ runs: [Opening], to section: inout Section) async throws {
        section.add("opening after a clean close", runs.map(\.opened).median * 1e3, "ms", atMost: 15)
        section.add("index and all else in memory", runs.map(\.memory).median / Double(count), "B a record")
        // A copy that was never closed: only its log is available.
        let database = try FileRecordDatabase(path: path)
        let saved = try await time {
            try await database.commit(
                RecordBatch(saving: StorageRecords().records(0..<1_000, version: 1), savePolicy: .overwrite))
        }
        section.add("saving 1000 records among them", saved.seconds * 1e3, "ms")
        let copy = path + "-copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        // Otherwise the opening would wait until the disk has written the copy.
        try DiskFlush(path: copy).flush()
        let afterKill = try Opening(FileEngine.name, path: copy, count: count)
        section.add("opening after a kill, 1000 saves since the index", afterKill.opened * 1e3, "ms", atMost: 100.5)
        let compaction = try await time { try await database.compact() }
        section.add("compaction", compaction.seconds, "s")
        try await database.close()
    }
}

/// A store that was opened in a process of its own.
struct Opening: Codable {
    /// The seconds of opening and fetching one record, and of fetching 1,000 more.
    var opened: Double
    var fetched: Double

    /// The bytes of memory that the process gained by opening, and its peak.
    var memory: Double
    var peak: Double

    static let command = "open"

    /// Starts the process.
    init(_ engine: String, path: String, count: Int) throws {
        self = try ChildProcess.answer(Self.command, engine, path, String(count))
    }

    /// The work of the process.
    init(in arguments: [String]) async throws {
        guard arguments.count == 3, let count = Int(arguments[2]),
            let engine = MillionRecords.engines.first(where: { $0.name == arguments[0] })
        else { throw SQLiteFailure(message: "open ENGINE PATH COUNT") }
        var random = RandomNumbers(seed: 11)
        let ids = try (0...1_000).map { _ in try StorageRecords.id(Int.random(in: 0..<count, using: &random)) }
        let before = ProcessMemory.figure("VmRSS")
        let start = ContinuousClock.now
        let store = try await engine.init(path: arguments[1])
        guard try await store.fetch([ids[1_000]]) > 0 else { throw SQLiteFailure(message: "nothing found") }
        opened = start.duration(to: .now).seconds
        memory = ProcessMemory.figure("VmRSS") - before
        fetched = try await time {
            guard try await store.fetch(Array(ids[..<1_000])) > 0 else { throw SQLiteFailure(message: "nothing found") }
        }.seconds
        peak = ProcessMemory.figure("VmHWM")
        try await store.close()
    }
}
