#if Engines
import Foundation
import Models
import NestedRecords
import NestedRecordsFile
import NestedRecordsPostgreSQL
import NestedRecordsSQLite

/// The same work on each engine, and by hand with the same libraries.
struct EngineComparison {
    private let isQuick: Bool
    private let folder: URL
    private let items: EngineRecords
    private let engines: [(name: String, database: any RecordDatabase)]
    private let postgreSQL: PostgreSQLRecordDatabase?
    private let handWrittenSQLite: HandWrittenSQLite

    /// The address of the server; without it PostgreSQL is left out.
    private static var server: String? { ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] }

    private static let schema = "nested_records_comparison"

    init(isQuick: Bool) async throws {
        self.isQuick = isQuick
        items = EngineRecords(size: isQuick ? 20_000 : 100_000)
        folder = try TemporaryFolder.make()
        let indexes = [FieldIndex(EngineRecords.type, by: FieldPath([EngineRecords.field]))]
        var sqliteOptions = SQLiteRecordDatabase.Options()
        sqliteOptions.indexes = indexes
        // The tables by hand have no JSON either.
        sqliteOptions.writesFieldsForSQL = false
        var engines: [(String, any RecordDatabase)] = [
            ("memory", InMemoryRecordDatabase()),
            ("file", try FileRecordDatabase(path: folder.appending(path: "engine.records").path)),
            (
                "sqlite",
                try SQLiteRecordDatabase(
                    path: folder.appending(path: "engine.sqlite").path, options: sqliteOptions)
            ),
        ]
        if let server = Self.server {
            var options = PostgreSQLRecordDatabase.Options()
            options.indexes = indexes
            options.schema = Self.schema
            let database = try PostgreSQLRecordDatabase(connection: server, options: options)
            try await database.prepare()
            engines.append(("postgresql", database))
            postgreSQL = database
        } else {
            postgreSQL = nil
        }
        self.engines = engines
        handWrittenSQLite = try HandWrittenSQLite(path: folder.appending(path: "hand.sqlite").path)
    }

    func run() async throws -> Section {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section(
            "engines", "Engines: \(items.size) records with one declared index; wall-clock time, durable saves")
        for start in stride(from: 0, to: items.size, by: 10_000) {
            let batch = RecordBatch(saving: try items.records(start..<start + 10_000), savePolicy: .overwrite)
            for engine in engines { try await engine.database.commit(batch) }
            try handWrittenSQLite.save(batch.saves)
        }
        for (count, rounds) in [(1, 200), (100, 40), (10_000, 7)] {
            section.comparisons.append(try await saves(count, rounds: rounds))
        }
        section.comparisons.append(try await fetches("fetch 1", count: 1, rounds: 400))
        section.comparisons.append(try await fetches("fetch 1000", count: 1_000, rounds: 40))
        section.comparisons.append(try await level())
        section.comparisons.append(try await filter())
        section.comparisons.append(try await sortedPage())
        section.comparisons.append(try await school())
        for engine in engines { try await close(engine.database) }
        handWrittenSQLite.close()
        if postgreSQL == nil {
            section.notes.append("PostgreSQL is left out: NESTED_RECORDS_POSTGRESQL is not set.")
        }
        if isQuick { section.notes.append("Left out by --quick: targets, 80,000 of the records, most rounds.") }
        return section
    }

    private func close(_ database: any RecordDatabase) async throws {
        switch database {
        case let file as FileRecordDatabase: try await file.close()
        case let sqlite as SQLiteRecordDatabase: try await sqlite.close()
        case let postgreSQL as PostgreSQLRecordDatabase: await postgreSQL.close()
        default: break
        }
    }

    private func rounds(_ count: Int) -> Int { isQuick ? max(3, count / 10) : count }

    private func limit(_ limit: Double) -> Double? { isQuick ? nil : limit }

    private func byHand(_ limit: Double) -> Target {
        Target("sqlite", to: "sqlite by hand", atMost: self.limit(limit))
    }

    private func contenders(
        _ work: @escaping (any RecordDatabase, _ round: Int) async throws -> Int, expecting count: Int,
        byHand: @escaping (HandWrittenSQLite, _ round: Int) throws -> Int
    ) -> [Contender] {
        func checked(_ found: Int, _ name: String) throws {
            guard found == count else { throw SQLiteFailure(message: "\(name) has \(found) of \(count) records") }
        }
        return engines.map { engine in
            Contender(name: engine.name) { round in
                try await time { try checked(try await work(engine.database, round), engine.name) }
            }
        } + [
            Contender(name: "sqlite by hand") { [handWrittenSQLite] round in
                try await time { try checked(try byHand(handWrittenSQLite, round), "SQLite by hand") }
            }
        ]
    }

    // MARK: Saves

    private func saves(_ count: Int, rounds: Int) async throws -> Comparison {
        let rounds = self.rounds(rounds)
        // The records are made before: each round changes other records, and each record gets a new number.
        let batches = try (0..<rounds).map { round in
            let start = count * round % (items.size - count + 1)
            return try items.records(start..<start + count, round: count + round)
        }
        return try await Comparison(
            "save \(count)", count: count, rounds: rounds, targets: [byHand(1.3)],
            contenders(
                { try await $0.commit(RecordBatch(saving: batches[$1], savePolicy: .overwrite)).count },
                expecting: count,
                byHand: {
                    try $0.save(batches[$1])
                    return count
                }))
    }

    // MARK: Fetches

    private func fetches(_ task: String, count: Int, rounds: Int) async throws -> Comparison {
        var random = RandomNumbers(seed: 11)
        let numbers = Array(0..<items.size).shuffled(using: &random)
        let rounds = self.rounds(rounds)
        let lists = try (0..<rounds).map { round in
            try (0..<count).map { try items.id(numbers[(round * count + $0) % numbers.count]) }
        }
        return try await Comparison(
            task, count: count, rounds: rounds, targets: [byHand(1.3)],
            contenders(
                { try await $0.records(for: lists[$1]).count }, expecting: count,
                byHand: { try $0.fetch(lists[$1]).count }))
    }

    /// The records that one record refers to, in one call.
    private func level() async throws -> Comparison {
        let (count, rounds) = (1_000, rounds(40))
        let lists = try (0..<rounds).map { round in
            try (0..<count).map { try items.id((round * count + $0) % items.size) }
        }
        var contenders = contenders(
            { try await $0.records(for: lists[$1]).count }, expecting: count,
            byHand: { try $0.fetch(lists[$1]).count })
        var targets = [byHand(1.3)]
        let libpq = try Self.server.map {
            try HandWrittenPostgreSQL(connection: $0, table: "\"\(Self.schema)\".records")
        }
        if let libpq {
            targets.append(Target("postgresql", to: "libpq", atMost: limit(1.5)))
            contenders.append(
                Contender(name: "libpq") { round in
                    try await time {
                        guard try libpq.fetch(lists[round]) == count else {
                            throw SQLiteFailure(message: "libpq has too few records")
                        }
                    }
                })
        }
        defer { libpq?.close() }
        return try await Comparison(
            "level of \(count)", count: count, rounds: rounds, targets: targets, contenders)
    }

    // MARK: Queries

    private func filter() async throws -> Comparison {
        let lower = EngineRecords.numbers / 2
        let upper = lower + EngineRecords.numbers / 1_000
        let field = FieldPath([EngineRecords.field])
        let query = RecordQuery(
            EngineRecords.type,
            where: .compare(field, .atLeast, .int(Int64(lower))) && .compare(field, .less, .int(Int64(upper))))
        let count = try await engines[0].database.page(query).records.count
        return try await Comparison(
            "filter, \(count) found", count: count, rounds: rounds(40), turn: .milliseconds(20),
            targets: [byHand(1.3)],
            contenders(
                { database, _ in try await database.page(query).records.count }, expecting: count,
                byHand: { database, _ in try database.items(from: lower, to: upper).count }))
    }

    private func sortedPage() async throws -> Comparison {
        let query = RecordQuery(
            EngineRecords.type, order: [RecordOrder(FieldPath([EngineRecords.field]), isDescending: true)],
            limit: 20)
        return try await Comparison(
            "page of 20 by the index", count: 20, rounds: rounds(40), turn: .milliseconds(20),
            targets: [byHand(1.3)],
            contenders(
                { database, _ in try await database.page(query).records.count }, expecting: 20,
                byHand: { database, _ in try database.lastItems(20).count }))
    }

    // MARK: A nested value

    private func school() async throws -> Comparison {
        let count = isQuick ? 1_000 : 10_000
        let school = try School(records: count)
        for engine in engines { try await RecordStore(engine.database).overwrite(school) }
        let grdb = try await GRDBStoredSchool(path: folder.appending(path: "school.sqlite").path, school)
        let fromAssociations = try await grdb.fromAssociations(school.id)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard try encoder.encode(fromAssociations) == encoder.encode(school) else {
            throw SQLiteFailure(message: "GRDB returns another school")
        }
        let contenders =
            engines.map { engine in
                Contender(name: engine.name) { _ in
                    try await time { try await RecordStore(engine.database).fetch(School.self, named: school.id).value }
                }
            } + [
                Contender(name: "grdb associations") { _ in
                    try await time { try await grdb.fromAssociations(school.id) }
                },
                Contender(name: "grdb document") { _ in
                    try await time { try await grdb.fromDocument(school.id) }
                },
            ]
        let comparison = try await Comparison(
            "load a school of \(count)", count: count, rounds: rounds(21),
            targets: [
                Target("file", to: "grdb associations", atMost: limit(1)),
                Target("sqlite", to: "grdb associations", atMost: limit(1)),
            ], contenders)
        try grdb.close()
        return comparison
    }
}
#endif
