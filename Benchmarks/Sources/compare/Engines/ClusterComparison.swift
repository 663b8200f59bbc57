#if Engines
import Foundation
import NestedRecords
import NestedRecordsPostgreSQL

/// One PostgreSQL server against a Citus cluster, with a growing number of records.
struct ClusterComparison {
    private struct Place {
        let name: String
        let database: PostgreSQLRecordDatabase
        let libpq: HandWrittenPostgreSQL
        let isDistributed: Bool
    }

    private static let (schema, shardCount, taskCount) = ("nested_records_cluster", 32, 16)
    private static let field = FieldPath([EngineRecords.field])

    private let isQuick: Bool

    init(isQuick: Bool) { self.isQuick = isQuick }

    func run() async throws -> [Section] {
        let environment = ProcessInfo.processInfo.environment
        guard let server = ListComparison.server, let cluster = environment["NESTED_RECORDS_CITUS"] else {
            print("\nThe cluster is left out: set NESTED_RECORDS_POSTGRESQL and NESTED_RECORDS_CITUS.")
            return []
        }
        let places = [try await place("postgresql", server), try await place("citus", cluster, isDistributed: true)]
        var section = Section(
            "cluster", "One server against a cluster with \(Self.shardCount) shards; wall-clock time")
        for place in places {
            section.notes.append("fsync on \(place.name): \(try place.libpq.lines("SHOW fsync")[0])")
        }
        var loaded = 0
        for size in isQuick ? [2_000] : [10_000, 100_000, 1_000_000] {
            for place in places {
                let duration = try await time { try await load(place, loaded..<size) }
                section.add("\(size), \(place.name): load", Double(size - loaded) / duration.seconds, "records/s")
                _ = try place.libpq.lines("VACUUM ANALYZE \(Self.schema).records")
            }
            loaded = size
            try await addReads(size, places, to: &section)
            for place in places { section.notes += try plans(size, place) }
            for count in [1_000, 1] { try await addSaves(of: count, size, places, to: &section) }
        }
        for place in places {
            place.libpq.close()
            await place.database.close()
        }
        return [section]
    }

    private func place(_ name: String, _ connection: String, isDistributed: Bool = false) async throws -> Place {
        var options = PostgreSQLRecordDatabase.Options()
        options.indexes = [FieldIndex(EngineRecords.type, by: Self.field)]
        (options.schema, options.poolSize) = (Self.schema, Self.taskCount)
        let database = try PostgreSQLRecordDatabase(connection: connection, options: options)
        if isDistributed {
            try await database.prepare(distribution: .citus(shardCount: Self.shardCount))
        } else {
            try await database.prepare()
        }
        let libpq = try HandWrittenPostgreSQL(connection: connection, table: "\(Self.schema).records")
        return Place(name: name, database: database, libpq: libpq, isDistributed: isDistributed)
    }

    private func load(_ place: Place, _ numbers: Range<Int>) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 10_000) {
            let part = start..<min(start + 10_000, numbers.upperBound)
            try await place.database.commit(
                RecordBatch(saving: try EngineRecords(size: part.count).records(part), savePolicy: .overwrite))
        }
    }

    // MARK: Reads

    private func addReads(_ size: Int, _ places: [Place], to section: inout Section) async throws {
        let (rounds, items) = (isQuick ? 3 : 100, EngineRecords(size: size))
        var random = RandomNumbers(seed: 11)
        func comparison(
            _ task: String, _ count: Int, _ read: @escaping (PostgreSQLRecordDatabase, _ round: Int) async throws -> Int
        ) async throws {
            section.comparisons.append(
                try await Comparison(
                    "\(size), \(task)", count: count, rounds: rounds, within: .seconds(30), atLeast: 5,
                    targets: [Target("citus", to: "postgresql")],
                    places.map { place in
                        Contender(name: place.name) { round in
                            try await time {
                                guard try await read(place.database, round) == count else {
                                    throw SQLiteFailure(message: "\(place.name) has too few records")
                                }
                            }
                        }
                    }))
        }
        let numbers = Array(0..<size).shuffled(using: &random)
        for count in [1, 1_000] {
            let lists = try (0..<rounds).map { round in
                try (0..<count).map { try items.id(numbers[(round * count + $0) % size]) }
            }
            try await comparison("fetch \(count)", count) { try await $0.records(for: lists[$1]).count }
        }
        let lower = (0..<rounds).map { _ in Int64(random.next() % UInt64(EngineRecords.numbers / 2)) }
        try await comparison("page of 100", 100) { try await $0.page(query(from: lower[$1])).records.count }
    }

    private func query(from lower: Int64) -> RecordQuery {
        RecordQuery(
            EngineRecords.type, where: .compare(Self.field, .atLeast, .int(lower)), order: [RecordOrder(Self.field)],
            limit: 100)
    }

    /// The plans of the statements that a fetch and a page execute, in their shortest form.
    private func plans(_ size: Int, _ place: Place) throws -> [String] {
        let records = "\(Self.schema).records"
        let key = try place.libpq.lines("SELECT keys[1] FROM \(records) WHERE keys[1] IS NOT NULL LIMIT 1")[0]
        func page(_ range: String) -> String {
            """
            SELECT r.*, r.keys[1] AS key FROM \(records) r WHERE r.type = '\(EngineRecords.type)' AND \(range)
            AND r.keys[1] IS NOT NULL AND r.body IS NOT NULL AND r.name > '' ORDER BY r.keys[1], r.name LIMIT 101
            """
        }
        let lateral = """
            SELECT r.* FROM unnest('{\(key)}'::text[], '{Z}'::text[]) AS i(lower, upper) CROSS JOIN LATERAL (
                \(page("r.keys[1] >= i.lower AND r.keys[1] < i.upper"))
            ) r ORDER BY r.key, r.name LIMIT 101
            """
        let names = (0..<1_000).map { "item-\($0 * size / 1_000)" }.joined(separator: ",")
        let statements = [
            (
                "fetch 1000",
                """
                SELECT r.body FROM unnest(array_fill('Item'::text, '{1000}'), '{\(names)}'::text[]) AS i(type, name)
                JOIN \(records) r ON r.type = i.type AND r.name = i.name WHERE r.body IS NOT NULL
                """
            ),
            ("page of 100", place.isDistributed ? page("r.keys[1] >= '\(key)' AND r.keys[1] < 'Z'") : lateral),
        ]
        return try statements.map { name, sql in
            _ = try place.libpq.lines("SET enable_sort = \(name == "fetch 1000" ? "on" : "off")")
            let plan = try place.libpq.lines("EXPLAIN (COSTS OFF) \(sql)")
            let lines = plan.map { $0.trimmingCharacters(in: .whitespaces) }
            let steps = lines.filter { line in ["->", "Task Count", "Index Cond"].contains { line.hasPrefix($0) } }
            return "\(size), \(place.name), plan of \(name): \(([lines[0]] + steps).joined(separator: " / "))"
        }
    }

    // MARK: Saves

    /// Saves of tasks at once, in rounds of which each server has its turn; each task replaces its own records.
    private func addSaves(of count: Int, _ size: Int, _ places: [Place], to section: inout Section) async throws {
        let (rounds, savesOfTask) = isQuick ? (1, 2) : (5, count == 1 ? 40 : 3)
        var times = places.map { _ in [Double]() }
        var seconds = places.map { _ in 0.0 }
        for round in 0...rounds {
            for turn in places.indices {
                let position = (turn + round) % places.count
                let database = places[position].database
                let batches = try (0..<Self.taskCount).map { task in
                    try (0..<savesOfTask).map { save in
                        let number = round * savesOfTask + save
                        let start = size + task * 1_000 + (count == 1 ? number % 1_000 : 0)
                        return RecordBatch(
                            saving: try EngineRecords(size: size).records(start..<start + count, round: number),
                            savePolicy: .overwrite)
                    }
                }
                let start = ContinuousClock.now
                let found = try await withThrowingTaskGroup(of: [Double].self) { group in
                    for batches in batches {
                        group.addTask {
                            var times: [Double] = []
                            for batch in batches {
                                times.append(try await time { try await database.commit(batch) }.seconds)
                            }
                            return times
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                if round == 0 { continue }  // It opens the connections, and makes the records.
                seconds[position] += start.duration(to: .now).seconds
                times[position] += found
            }
        }
        let sorted = times.map { $0.sorted() }
        for (name, share) in [("median", 50), ("99th percentile", 99)] {
            section.comparisons.append(
                Comparison(
                    "\(size), save \(count) from \(Self.taskCount) tasks, \(name)", count: count,
                    seconds: zip(places, sorted).map { ($0.name, $1[$1.count * share / 100]) },
                    targets: [Target("citus", to: "postgresql")]))
        }
        for (position, place) in places.enumerated() {
            section.add(
                "\(size), \(place.name): saves of \(count) from \(Self.taskCount) tasks",
                Double(times[position].count) / seconds[position], "saves/s")
        }
    }
}
#endif
