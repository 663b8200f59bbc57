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
            try FileEngine(path: folder.appending(path: "base.records").path),
            try SQLiteEngine(path: folder.appending(path: "base.sqlite").path),
            try GRDBEngine(path: folder.appending(path: "base.grdb").path),
        ]
        flush = try DiskFlush(path: folder.appending(path: "flush").path)
    }

    private func rounds(_ count: Int) -> Int { isQuick ? max(count / 4, 2) : count }

    mutating func run() async throws -> [Comparison] {
        defer { try? FileManager.default.removeItem(at: folder) }
        var results = [try await newFiles()]
        let base = try records.records(0..<size)
        for engine in engines { try await engine.save(base) }
        for (count, rounds) in [(1, 200), (100, 40), (10_000, 7)] { results.append(try await saves(count, rounds)) }
        results.append(try await overwrites(100))
        for (count, rounds) in [(1, 400), (1_000, 20)] { results.append(try await fetches(count, rounds)) }
        for type in [nil, "Type3"] { results.append(try await scans(type)) }
        for tasks in [1, 8, 64] { results.append(try await concurrentSaves(tasks)) }
        for engine in engines { try await engine.close() }
        return results
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
            "save \(size) into a new file", count: size, rounds: rounds(5),
            [contender(FileEngine.self), contender(SQLiteEngine.self), contender(GRDBEngine.self)])
    }

    private mutating func saves(_ count: Int, _ rounds: Int) async throws -> Comparison {
        let (first, rounds) = (next, self.rounds(rounds))
        next += count * rounds
        // Every engine saves the same new records in a round; they are made before.
        let batches = try (0..<rounds).map { try records.records(first + $0 * count..<first + ($0 + 1) * count) }
        let contenders = contenders { try await $0.save(batches[$1]) }
        return try await Comparison("save \(count) new", count: count, rounds: rounds, contenders + [floor])
    }

    private func overwrites(_ count: Int) async throws -> Comparison {
        let rounds = rounds(40)
        let batches = try (0..<rounds).map { round in
            try (0..<count).map { try records.record((round * 7_919 + $0 * 613) % size, version: round + 1) }
        }
        return try await Comparison(
            "overwrite \(count)", count: count, rounds: rounds, contenders { try await $0.save(batches[$1]) })
    }

    private func fetches(_ count: Int, _ rounds: Int) async throws -> Comparison {
        let rounds = self.rounds(rounds)
        var random = RandomNumbers(seed: 7)
        let batches = try (0..<rounds).map { _ in
            try Set((0..<count).map { _ in Int.random(in: 0..<size, using: &random) }).map { try StorageRecords.id($0) }
        }
        return try await Comparison(
            "fetch \(count) random", count: count, rounds: rounds,
            contenders { engine, round in
                guard try await engine.fetch(batches[round]) > 0 else { throw SQLiteFailure(message: "nothing found") }
            })
    }

    private func scans(_ type: String?) async throws -> Comparison {
        try await Comparison(
            type == nil ? "scan all \(next)" : "scan one type of 8", count: type == nil ? next : next / 8,
            rounds: rounds(9),
            contenders { engine, _ in
                guard try await engine.scan(type: type) > 0 else { throw SQLiteFailure(message: "nothing found") }
            })
    }

    /// Tasks that each save one record after another, at the same time.
    private mutating func concurrentSaves(_ tasks: Int) async throws -> Comparison {
        let (each, first, rounds) = (64 / tasks * 4, next, self.rounds(8))
        let count = tasks * each
        next += count * rounds
        let batches = try (0..<rounds).map { try records.records(first + $0 * count..<first + ($0 + 1) * count) }
        return try await Comparison(
            "save 1 each by \(tasks) tasks", count: count, rounds: rounds,
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
