import Foundation
import NestedRecords

/// The file database against SQLite and GRDB: the same records, durable saves, in turn in one process.
struct StorageComparison {
    private let folder: URL
    private let engines: [any StorageEngine]
    private let flush: DiskFlush
    private let records = StorageRecords()
    private let isQuick: Bool
    private let size: Int

    /// The first number that no record has.
    private var next: Int

    init(isQuick: Bool) async throws {
        self.isQuick = isQuick
        size = isQuick ? 10_000 : 100_000
        next = size
        folder = try TemporaryFolder.make()
        engines = [
            try FileEngine(path: folder.appending(path: "base.file").path),
            try SQLiteEngine(path: folder.appending(path: "base.sqlite").path),
            try GRDBEngine(path: folder.appending(path: "base.grdb").path),
        ]
        flush = try DiskFlush(path: folder.appending(path: "flush").path)
    }

    private func rounds(_ count: Int) -> Int { isQuick ? min(max(count / 4, 2), 10) : count }

    mutating func run() async throws -> Section {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section("storage", "Storage: \(size) records at first, saves that survive a loss of power")
        var results = [try await newFiles()]
        let base = try records.records(0..<size)
        for engine in engines { try await engine.save(base) }
        for (count, rounds, limits) in [(1, 200, (1.05, nil)), (100, 40, (0.45, 0.2)), (10_000, 7, (0.4, 0.15))] {
            results.append(try await saves(count, rounds, limits))
        }
        results.append(try await overwrites(100))
        for (count, rounds, limits) in [(1, 400, (0.5, 0.2)), (1_000, 20, (0.6, 0.45))] {
            results.append(try await fetches(count, rounds, limits))
        }
        for (type, limit) in [(nil, 1.1), ("Type3", 0.8)] { results.append(try await scans(type, limit)) }
        for (tasks, limit) in [(1, nil), (8, nil), (64, 0.2)] as [(Int, Double?)] where !isQuick || tasks == 64 {
            results.append(try await concurrentSaves(tasks, limit))
        }
        section.comparisons = results
        if isQuick {
            section.notes.append(
                "Left out by --quick: targets, 90,000 of the records, most rounds, and saves by 1 and by 8 tasks.")
        }
        for engine in engines {
            try await engine.compact()
            try await engine.close()
        }
        let sizes = try engines.map { engine in
            try FileManager.default.fileSize(at: folder.appending(path: "base.\(fileExtension(of: engine))"))
        }
        section.add("size of the file, compacted", sizes[0] / 1e6, "MB")
        section.add("size of the file, to SQLite's", sizes[0] / sizes[1], "times", atMost: 0.9)
        return section
    }

    private func fileExtension(of engine: any StorageEngine) -> String { type(of: engine).name }

    /// The ratios of the library's time to the others, with the limits for large stores.
    private func targets(_ limits: (sqlite: Double?, grdb: Double?)) -> [Target] {
        [
            Target("file", to: "sqlite", atMost: isQuick ? nil : limits.sqlite),
            Target("file", to: "grdb", atMost: isQuick ? nil : limits.grdb),
        ]
    }

    private func contenders(
        _ work: @escaping (any StorageEngine, _ round: Int) async throws -> Void
    ) -> [Contender] {
        engines.map { engine in
            Contender(name: type(of: engine).name) { round in try await time { try await work(engine, round) } }
        }
    }

    private var floor: Contender {
        Contender(name: "flush") { [flush] _ in try await time { try flush.run() } }
    }

    /// The time of making a file with many records.
    private func newFiles() async throws -> Comparison {
        let (records, folder) = (try records.records(0..<size), folder)
        func contender<Engine: StorageEngine>(_ type: Engine.Type) -> Contender {
            Contender(name: Engine.name) { round in
                let engine = try await Engine(path: folder.appending(path: "new-\(Engine.name)-\(round)").path)
                let duration = try await time { try await engine.save(records) }
                try await engine.close()
                return duration
            }
        }
        return try await Comparison(
            "save \(size) into a new file", count: size, rounds: rounds(5), targets: targets((0.6, nil)),
            [contender(FileEngine.self), contender(SQLiteEngine.self), contender(GRDBEngine.self)])
    }

    private mutating func saves(
        _ count: Int, _ rounds: Int, _ limits: (Double?, Double?)
    ) async throws -> Comparison {
        let (first, rounds) = (next, self.rounds(rounds))
        next += count * rounds
        // Every engine saves the same new records in a round; they are made before.
        let batches = try (0..<rounds).map { try records.records(first + $0 * count..<first + ($0 + 1) * count) }
        let contenders = contenders { try await $0.save(batches[$1]) }
        return try await Comparison(
            "save \(count) new", count: count, rounds: rounds, targets: targets(limits), contenders + [floor])
    }

    private func overwrites(_ count: Int) async throws -> Comparison {
        let rounds = rounds(40)
        let batches = try (0..<rounds).map { round in
            try (0..<count).map { try records.record((round * 7_919 + $0 * 613) % size, version: round + 1) }
        }
        return try await Comparison(
            "overwrite \(count)", count: count, rounds: rounds, targets: targets((nil, nil)),
            contenders { try await $0.save(batches[$1]) })
    }

    private func fetches(_ count: Int, _ rounds: Int, _ limits: (Double?, Double?)) async throws -> Comparison {
        let rounds = self.rounds(rounds)
        var random = RandomNumbers(seed: 7)
        let batches = try (0..<rounds).map { _ in
            try Set((0..<count).map { _ in Int.random(in: 0..<size, using: &random) }).map { try StorageRecords.id($0) }
        }
        return try await Comparison(
            "fetch \(count) random", count: count, rounds: rounds, targets: targets(limits),
            contenders { engine, round in
                guard try await engine.fetch(batches[round]) > 0 else { throw SQLiteFailure(message: "nothing found") }
            })
    }

    private func scans(_ type: String?, _ limit: Double) async throws -> Comparison {
        try await Comparison(
            type == nil ? "scan all \(next)" : "scan one type of 8", count: type == nil ? next : next / 8,
            rounds: rounds(9), targets: targets((limit, nil)),
            contenders { engine, _ in
                guard try await engine.scan(type: type) > 0 else { throw SQLiteFailure(message: "nothing found") }
            })
    }

    /// Tasks that each save one record after another, at the same time.
    private mutating func concurrentSaves(_ tasks: Int, _ limit: Double?) async throws -> Comparison {
        let (each, first, rounds) = (isQuick ? 1 : 64 / tasks * 4, next, self.rounds(8))
        let count = tasks * each
        next += count * rounds
        let batches = try (0..<rounds).map { try records.records(first + $0 * count..<first + ($0 + 1) * count) }
        return try await Comparison(
            "save 1 each by \(tasks) tasks", count: count, rounds: rounds,
            targets: targets((limit, nil)),
            contenders { engine, round in
                let batch = batches[round]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<tasks {
                        group.addTask {
                            for position in 0..<each { try await engine.save([batch[task * each + position]]) }
                        }
                    }
                    try await group.waitForAll()
                }
            })
    }
}
