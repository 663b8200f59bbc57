import Counting
import Foundation
@_spi(Engines) import NestedRecords
import NestedRecordsFile

/// Queries of the databases in a file and in memory, against SQLite and GRDB without indexes on fields, and a loop.
struct QueryComparison {
    private let folder: URL
    private let size: Int
    let isQuick: Bool
    private let records: [Record]
    private let file: FileRecordDatabase
    private let memory = InMemoryRecordDatabase()
    private let sqlite: SQLiteQueries
    private let grdb: GRDBQueries

    /// Most of the types have more or fewer fields: 13 in the mean.
    private let type = "Type4"

    init(isQuick: Bool) async throws {
        self.isQuick = isQuick
        size = isQuick ? 10_000 : 100_000
        folder = try TemporaryFolder.make()
        records = try StorageRecords().records(0..<size)
        file = try FileRecordDatabase(path: folder.appending(path: "queries.records").path)
        let path = folder.appending(path: "queries.sqlite").path
        sqlite = try SQLiteQueries(path: path)
        try sqlite.fill(records)
        grdb = try GRDBQueries(path: path)
        for start in stride(from: 0, to: size, by: 10_000) {
            try await file.commit(RecordBatch(saving: Array(records[start..<start + 10_000]), savePolicy: .overwrite))
        }
        try await memory.commit(RecordBatch(saving: records, savePolicy: .overwrite))
    }

    func run() async throws -> [Section] {
        defer { try? FileManager.default.removeItem(at: folder) }
        var section = Section(
            "queries",
            "Queries of \(size) records of 8 types, \(size / 8) of the queried type; processor time, no index on fields"
        )
        section.comparisons = [try await filter(), try await sort(), try await count(), try await referrers()]
        let cascade = try await cascade()
        section.comparisons.append(cascade)
        try await addSaves(to: &section)
        try await addCalls(to: &section)
        try await file.close()
        sqlite.close()
        try grdb.close()
        try await addMemory(to: &section)
        if isQuick { section.notes.append("Left out by --quick: nine tenths of the records, most rounds.") }
        return [section]
    }

    private func compare(
        _ task: String, targets: [Target], _ contenders: [Contender]
    ) async throws -> Comparison {
        try await Comparison(
            task, count: size / 8, rounds: isQuick ? 3 : 11, turn: .milliseconds(isQuick ? 10 : 60), targets: targets,
            contenders)
    }

    private func target(_ name: String, _ other: String, _ limit: Double) -> Target {
        Target(name, to: other, atMost: isQuick ? nil : limit)
    }

    private func filter() async throws -> Comparison {
        let rows = records.filter { $0.id.type == type }.compactMap(QueryRow.init)
        let query = RecordQuery(type, where: .compare("count1", .greater, 99_000))
        let expected = rows.count { $0.count1 > 99_000 }
        return try await compare(
            "filter",
            targets: [
                target("file", "sqlite", 0.5), target("file", "scan", 0.35), Target("file", to: "grdb"),
                target("memory", "loop", 8),
            ],
            [
                page("file", file, query, expected), page("scan", Scanned(base: file), query, expected),
                sql("sqlite", QuerySQL.filter), grdb("grdb", QuerySQL.filter),
                page("memory", memory, query, expected),
                Contender("loop") {
                    var found: [QueryRow] = []
                    for row in rows where row.count1 > 99_000 { found.append(row) }
                    try check(found.count == expected)
                    return found
                },
            ])
    }

    private func sort() async throws -> Comparison {
        let query = RecordQuery(
            type, order: [RecordOrder("count1", isDescending: true), RecordOrder("name0")], limit: 20)
        return try await compare(
            "sort, limit 20", targets: [Target("file", to: "sqlite"), Target("file", to: "grdb")],
            [
                page("file", file, query, 20), page("scan", Scanned(base: file), query, 20),
                sql("sqlite", QuerySQL.sort), grdb("grdb", QuerySQL.sort), page("memory", memory, query, 20),
            ])
    }

    private func count() async throws -> Comparison {
        let filter = RecordFilter.compare("price3", .less, .double(5_000)) && .compare("active4", .equal, true)
        let query = RecordQuery(type, where: filter)
        let expected = try await memory.count(query)
        func contender(_ name: String, _ database: some RecordDatabase) -> Contender {
            Contender(waiting: name) { try check(try await database.count(query) == expected) }
        }
        return try await compare(
            "count", targets: [Target("file", to: "sqlite"), Target("file", to: "grdb")],
            [
                contender("file", file), contender("scan", Scanned(base: file)), sql("sqlite", QuerySQL.count),
                grdb("grdb", QuerySQL.count), contender("memory", memory),
            ])
    }

    private func referrers() async throws -> Comparison {
        let ids = try (0..<100).map { try StorageRecords.id($0 * 97 % size) }
        let expected = try await memory.referrers(of: ids).count
        try await keepReferences(of: memory)
        func contender(_ name: String, _ database: some RecordDatabase) -> Contender {
            Contender(waiting: name) { try check(try await database.referrers(of: ids).count == expected) }
        }
        return try await compare(
            "referrers of 100", targets: [Target("file", to: "sqlite"), Target("file", to: "scan")],
            [
                contender("file", file), contender("scan", Scanned(base: file)),
                sql("sqlite", QuerySQL.referrers(ids, isIndexed: false), []),
                grdb("grdb", QuerySQL.referrers(ids, isIndexed: false), []),
                sql("sqlite index", QuerySQL.referrers(ids, isIndexed: true), []), contender("memory", memory),
            ])
    }

    /// The deletion of a record and of 100 that it owns; SQL has an index on the owner.
    private func cascade() async throws -> Comparison {
        func contender(_ name: String, _ database: some RecordDatabase) -> Contender {
            Contender(name: name) { round in
                try await database.commit(RecordBatch(saving: Self.owned(100, round), savePolicy: .overwrite))
                let owner = try Record.ID(type: "Owner", name: "\(round)")
                return try await ProcessorTime.of(waiting: {
                    try check(try await database.delete([owner], [.cascading, .dangling]).count == 101)
                })
            }
        }
        let (sqlite, grdb) = (sqlite, grdb)
        return try await Comparison(
            "cascade of 100", count: 100, rounds: isQuick ? 3 : 15,
            targets: [Target("file", to: "sqlite index"), Target("memory", to: "sqlite index")],
            [
                contender("file", file), contender("scan", Scanned(base: file)), contender("memory", memory),
                Contender(name: "sqlite index") { round in
                    try sqlite.addOwned(100, to: "\(round)")
                    return try ProcessorTime.of { try sqlite.rows("DELETE FROM owned WHERE name = ?", ["\(round)"]) }
                },
                Contender(name: "grdb index") { round in
                    try sqlite.addOwned(100, to: "g\(round)")
                    return try await ProcessorTime.of(waiting: { try await grdb.delete("g\(round)") })
                },
            ])
    }

    private static func owned(_ count: Int, _ round: Int) throws -> [Record] {
        let owner = try Record.ID(type: "Owner", name: "\(round)")
        let reference = Record.Value.reference(Record.Reference(to: owner, action: .deleteSelf))
        return try [Record(id: owner)]
            + (0..<count).map {
                try Record(id: Record.ID(type: "Owned", name: "\(round)-\($0)"), fields: ["owner": reference])
            }
    }

    /// Looks for references so often that the database maintains them from then on.
    private func keepReferences(of database: InMemoryRecordDatabase) async throws {
        for _ in 0..<10 { _ = try await database.referrers(of: [StorageRecords.id(0)]) }
    }

    /// The cost of saves once the back references are maintained.
    private func addSaves(to section: inout Section) async throws {
        let (records, without, with) = (
            Array(records.prefix(10_000)), InMemoryRecordDatabase(), InMemoryRecordDatabase()
        )
        for database in [without, with] {
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        }
        try await keepReferences(of: with)
        let versions = try (0..<5).map { try StorageRecords().records(0..<10_000, version: $0 + 1) }
        section.comparisons.append(
            try await Comparison(
                "save 10000 again in memory", count: 10_000, rounds: isQuick ? 3 : 15,
                targets: [Target("kept", to: "not kept")],
                [("not kept", without), ("kept", with)].map { name, database in
                    Contender(name: name) { round in
                        try await ProcessorTime.of(waiting: {
                            try await database.commit(
                                RecordBatch(saving: versions[round % versions.count], savePolicy: .overwrite))
                        })
                    }
                }))
    }

    private func page(
        _ name: String, _ database: some RecordDatabase, _ query: RecordQuery, _ expected: Int
    ) -> Contender {
        Contender(waiting: name) {
            let page = try await database.page(query)
            try check(page.records.count == expected)
            return page
        }
    }

    private func sql(_ name: String, _ sql: String, _ arguments: [String]? = nil) -> Contender {
        let (sqlite, arguments) = (sqlite, arguments ?? [type])
        return Contender(name) { try check(try sqlite.rows(sql, arguments) > 0) }
    }

    private func grdb(_ name: String, _ sql: String, _ arguments: [String]? = nil) -> Contender {
        let (grdb, arguments) = (grdb, arguments ?? [type])
        return Contender(waiting: name) { try check(try await grdb.texts(sql, arguments) > 0) }
    }
}

private func check(_ isRight: Bool) throws {
    guard isRight else { throw SQLiteFailure(message: "a query found other records") }
}

/// A database whose queries scan all records, as those of a database without a query language do.
private struct Scanned: RecordDatabase {
    let base: FileRecordDatabase

    func records(for ids: [Record.ID]) async throws -> [Record] { try await base.records(for: ids) }

    func commit(_ batch: RecordBatch) async throws -> [Record.ID: Record.Metadata] { try await base.commit(batch) }

    func storedRecords(ofType type: String?) -> RecordSequence { base.storedRecords(ofType: type) }
}

/// The fields of a record as a plain structure.
struct QueryRow {
    var name0: String
    var count1: Int64
    var born2: Date
    var price3: Double
    var active4: Bool
    var latitude5: Double
    var longitude5: Double
    var owner6: String
    var note7: String
    var items8: [Int64]
    var code9: String
    var name10: String
    var count11: Int64

    init?(_ record: Record) {
        guard case .string(let name0)? = record["name0"], case .int(let count1)? = record["count1"],
            case .date(let born2)? = record["born2"], case .double(let price3)? = record["price3"],
            case .bool(let active4)? = record["active4"], case .location(let place5)? = record["place5"],
            case .reference(let owner6)? = record["owner6"], case .string(let note7)? = record["note7"],
            case .list(let items8)? = record["items8"], case .string(let code9)? = record["code9"],
            case .string(let name10)? = record["name10"], case .int(let count11)? = record["count11"]
        else { return nil }
        (self.name0, self.count1, self.born2, self.price3, self.active4) = (name0, count1, born2, price3, active4)
        (latitude5, longitude5, self.owner6) = (place5.latitude, place5.longitude, owner6.id.name)
        (self.note7, self.code9, self.name10, self.count11) = (note7, code9, name10, count11)
        self.items8 = items8.compactMap { if case .int(let item) = $0 { item } else { nil } }
    }
}
