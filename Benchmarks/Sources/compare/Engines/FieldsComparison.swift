#if Engines
import Foundation
import NestedRecords
import NestedRecordsPostgreSQL
import NestedRecordsSQLite

/// What the fields as JSON for SQL cost: saves with the column, and without it.
struct FieldsComparison {
    private struct Engine {
        let name: String
        let database: any RecordDatabase

        /// The number of bytes on disk.
        let size: () async throws -> Double
    }

    private static let schema = "nested_records_fields"

    private let isQuick: Bool
    private let items: EngineRecords

    init(isQuick: Bool) {
        self.isQuick = isQuick
        items = EngineRecords(size: isQuick ? 20_000 : 100_000)
    }

    func run() async throws -> Section {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let engines = try await engines(in: folder)
        for start in stride(from: 0, to: items.size, by: 10_000) {
            let batch = RecordBatch(saving: try items.records(start..<start + 10_000), savePolicy: .overwrite)
            for engine in engines { try await engine.database.commit(batch) }
        }
        var section = Section(
            "fields", "The column with JSON for SQL: \(items.size) records; wall-clock time, durable saves")
        for engine in engines { section.add("\(engine.name), on disk", try await engine.size() / 1e6, "MB") }
        for (count, rounds) in [(1, 400), (100, 100), (10_000, 15)] {
            let rounds = isQuick ? 3 : rounds
            let batches = try (0..<rounds).map { round in
                let start = count * round % (items.size - count + 1)
                return RecordBatch(
                    saving: try items.records(start..<start + count, round: count + round), savePolicy: .overwrite)
            }
            section.comparisons.append(
                try await Comparison(
                    "save \(count)", count: count, rounds: rounds,
                    targets: ["sqlite", "postgresql"].filter { name in engines.contains { $0.name == name } }.map {
                        Target($0, to: "\($0) without", atMost: isQuick ? nil : 1.2)
                    },
                    engines.map { engine in
                        Contender(name: engine.name) { round in
                            try await time { try await engine.database.commit(batches[round]) }
                        }
                    }))
        }
        for engine in engines {
            if let postgreSQL = engine.database as? PostgreSQLRecordDatabase { await postgreSQL.close() }
        }
        return section
    }

    private func engines(in folder: URL) async throws -> [Engine] {
        var engines: [Engine] = []
        for isOn in [true, false] {
            let url = folder.appending(path: "\(isOn).sqlite")
            var options = SQLiteRecordDatabase.Options()
            options.indexes = [FieldIndex(EngineRecords.type, by: FieldPath([EngineRecords.field]))]
            options.writesFieldsForSQL = isOn
            let path = url.path
            engines.append(
                Engine(
                    name: isOn ? "sqlite" : "sqlite without",
                    database: try SQLiteRecordDatabase(path: path, options: options)
                ) {
                    let other = try SQLiteRecordDatabase(path: path, options: options)
                    try await other.close()
                    return Double(try FileManager.default.fileSize(at: url))
                })
            guard let server = ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] else { continue }
            var serverOptions = PostgreSQLRecordDatabase.Options()
            serverOptions.indexes = options.indexes
            serverOptions.writesFieldsForSQL = isOn
            serverOptions.schema = "\(Self.schema)_\(isOn)"
            let database = try PostgreSQLRecordDatabase(connection: server, options: serverOptions)
            try await database.prepare()
            let table = "\"\(serverOptions.schema)\".records"
            engines.append(
                Engine(name: isOn ? "postgresql" : "postgresql without", database: database) {
                    let libpq = try HandWrittenPostgreSQL(connection: server, table: table)
                    defer { libpq.close() }
                    return try libpq.sizeOfTable()
                })
        }
        return engines
    }
}
#endif
