#if Engines
import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsPostgreSQL
import NestedRecordsSQLite

/// What the feeds of readers cost: saves with a declared audience and without, and pages after the changes of strangers.
struct AudienceFigures {
    private struct Item: RecordCodable, Identifiable {
        var id: String
        var readers: [String]
        static let recordType = "Item"
    }

    /// A database, and the bytes on disk that it needs; nil in memory.
    private struct Engine {
        let name: String
        let database: any RecordDatabase
        let size: () async throws -> Double?
    }

    private static let without = " without"

    private let isQuick: Bool
    private let count: Int
    private let folder: URL

    init(isQuick: Bool) throws {
        (self.isQuick, count) = (isQuick, isQuick ? 10_000 : 100_000)
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> [Section] {
        defer { try? FileManager.default.removeItem(at: folder) }
        var saves = Section("audiences", "Audiences: \(count) records with two readers; wall-clock time, durable saves")
        var pages = Section("strangers", "A page with ten changes of a reader, after changes of strangers")
        let engines = try await engines()
        for start in stride(from: 0, to: count, by: 10_000) {
            let batch = RecordBatch(saving: try records(start..<start + 10_000), savePolicy: .overwrite)
            for engine in engines { try await engine.database.commit(batch) }
        }
        for engine in engines {
            if let size = try await engine.size() { saves.add("\(engine.name), on disk", size / 1e6, "MB") }
        }
        for (size, rounds) in [(1, 400), (100, 100), (10_000, 9)] {
            saves.comparisons.append(try await comparison(size, rounds: isQuick ? 3 : rounds, engines))
        }
        for engine in engines where !engine.name.hasSuffix(Self.without) { try await addPages(of: engine, to: &pages) }
        for engine in engines {
            switch engine.database {
            case let file as FileRecordDatabase: try await file.close()
            case let sqlite as SQLiteRecordDatabase: try await sqlite.close()
            case let postgreSQL as PostgreSQLRecordDatabase: await postgreSQL.close()
            default: break
            }
        }
        return [saves, pages, try await SharedMembers(isQuick: isQuick, in: folder).run()]
    }

    private func record(_ number: Int, readers: [Record.Value], round: Int = 0) throws -> Record {
        try Record(
            id: Record.ID(type: Item.recordType, name: "item-\(number)"),
            fields: [
                "readers": .list(readers), "count": .int(Int64(round)),
                "note": .string("Some words that say more about item \(number), and fill its record"),
            ])
    }

    /// Records of strangers: the second reader moves on from round to round.
    private func records(_ numbers: Range<Int>, round: Int = 0) throws -> [Record] {
        try numbers.map { number in
            let readers = [number % 1_000, 1_000 + (number + round) % 10].map { Record.Value.string("reader \($0)") }
            return try record(number, readers: readers, round: round)
        }
    }

    private func comparison(_ size: Int, rounds: Int, _ engines: [Engine]) async throws -> Comparison {
        let batches = try (0..<rounds).map { round in
            let start = size * round % (count - size + 1)
            return RecordBatch(
                saving: try records(start..<start + size, round: size + round), savePolicy: .overwrite)
        }
        return try await Comparison(
            "save \(size)", count: size, rounds: rounds,
            targets: engines.map(\.name).filter { !$0.hasSuffix(Self.without) }.map {
                Target($0, to: $0 + Self.without)
            },
            engines.map { engine in
                Contender(name: engine.name) { round in
                    try await time { try await engine.database.commit(batches[round]) }
                }
            })
    }

    private func addPages(of engine: Engine, to section: inout Section) async throws {
        let scope = try RecordStore(engine.database).scoped(for: "ann") {
            $0.rule(Item.self) { $0.readers.contains("ann") }
        }
        guard let feed = scope.database.feed else { throw SQLiteFailure(message: "no feed") }
        for strangers in [10, 10 * count] {
            let token = try await feed.changeToken()
            let own = try (0..<10).map { try record(count + $0, readers: [.string("ann")], round: strangers) }
            try await engine.database.commit(RecordBatch(saving: own, savePolicy: .overwrite))
            for start in stride(from: 0, to: strangers, by: 10_000) {
                let size = min(10_000, strangers - start)
                let batch = RecordBatch(
                    saving: try records(start % count..<start % count + size, round: start + strangers),
                    savePolicy: .overwrite)
                try await engine.database.commit(batch)
            }
            var seconds: [Double] = []
            for _ in 0..<20 {
                let start = ContinuousClock.now
                let page = try await feed.changes(since: token, limit: 100)
                seconds.append(start.duration(to: .now).seconds)
                guard page.saved.count == own.count, page.isComplete else {
                    throw SQLiteFailure(message: "\(engine.name) has a page of \(page.saved.count) records")
                }
            }
            let title = "\(engine.name), \(strangers) changes of strangers"
            section.add("\(title), first page", seconds[0] * 1e3, "ms")
            section.add("\(title), same page again", seconds.dropFirst().map(\.self).median * 1e3, "ms")
        }
    }

    private func engines() async throws -> [Engine] {
        var engines: [Engine] = []
        for suffix in ["", Self.without] {
            let file = folder.appending(path: "audiences\(suffix).records")
            let sqlite = folder.appending(path: "audiences\(suffix).sqlite")
            engines += [
                Engine(name: "memory\(suffix)", database: InMemoryRecordDatabase()) { nil },
                Engine(name: "file\(suffix)", database: try FileRecordDatabase(path: file.path)) {
                    Double(try FileManager.default.fileSize(at: file))
                },
                Engine(name: "sqlite\(suffix)", database: try SQLiteRecordDatabase(path: sqlite.path)) {
                    try await SQLiteRecordDatabase(path: sqlite.path).close()
                    return Double(try FileManager.default.fileSize(at: sqlite))
                },
            ]
            guard let server = ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] else { continue }
            var options = PostgreSQLRecordDatabase.Options()
            options.schema = "nested_records_audiences\(suffix.isEmpty ? "" : "_without")"
            let schema = options.schema
            let database = try PostgreSQLRecordDatabase(connection: server, options: options)
            try await database.prepare()
            engines.append(
                Engine(name: "postgresql\(suffix)", database: database) {
                    let libpq = try HandWrittenPostgreSQL(connection: server, table: "\"\(schema)\".records")
                    defer { libpq.close() }
                    let sizes = """
                        SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)))
                        FROM pg_tables WHERE schemaname = '\(schema)'
                        """
                    return try libpq.lines(sizes).first.flatMap(Double.init)
                })
        }
        for engine in engines where !engine.name.hasSuffix(Self.without) {
            try await engine.database.declare(RecordAudience(Item.recordType, readers: "readers"))
        }
        return engines
    }
}
#endif
