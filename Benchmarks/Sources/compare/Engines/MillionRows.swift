#if Engines
import Foundation
import GRDB
import NestedRecords
import NestedRecordsSQLite

private struct Site: RecordCodable, Identifiable, Sendable {
    var id: Int
    var name: String
}

/// A job of a site, which is deleted with the site.
private struct SiteJob: RecordCodable, Identifiable, Sendable {
    static let schema = RecordSchema(cascading: ["site"])

    var id: Int
    var site: RecordLink<Site>
    var owner: String
    var due: Int
    var title: String
}

private struct SiteRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "site"
    var id: Int
    var name: String
}

private struct SiteJobRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "job"
    var id: Int
    var siteID: Int
    var owner: String
    var due: Int
    var title: String
}

/// Pages, counts and a deletion in a large SQLite file that was opened again, against rows of GRDB with the same indexes.
struct MillionRows {
    private let count: Int
    private let folder: URL
    private let isQuick: Bool
    private let index = FieldIndex(SiteJob.recordType, by: "owner", "due")

    init(count: Int, folder: URL, isQuick: Bool) {
        (self.count, self.folder, self.isQuick) = (count, folder, isQuick)
    }

    func run() async throws -> Section {
        var section = Section(
            "million rows", "\(count) records in SQLite, opened again: pages, counts, a deletion; wall-clock time")
        try await fill(try records())
        try await fill(try rows())
        let (sqlite, grdb) = (try records(), try rows())
        for (name, file) in [("sqlite", "million.sqlite"), ("grdb", "million.grdb")] {
            let size = try FileManager.default.fileSize(at: folder.appending(path: file))
            section.add("\(name): on disk", size / 1e6, "MB")
        }
        section.comparisons = [
            try await pages(sqlite, grdb), try await counts(sqlite, grdb), try await countsOfType(sqlite, grdb),
            try await deletions(sqlite, grdb),
        ]
        try await sqlite.close()
        try grdb.close()
        return section
    }

    private func limit(_ limit: Double) -> Double? { isQuick ? nil : limit }

    private func records() throws -> SQLiteRecordDatabase {
        var options = SQLiteRecordDatabase.Options()
        options.indexes = [index]
        return try SQLiteRecordDatabase(path: folder.appending(path: "million.sqlite").path, options: options)
    }

    private func rows() throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return try DatabasePool(path: folder.appending(path: "million.grdb").path, configuration: configuration)
    }

    // MARK: Contents

    private static func owner(_ number: Int) -> String { "owner\(number % 50)" }

    private static func site(of job: Int) -> Int { job / 1_000 }

    private func jobs(_ numbers: Range<Int>) -> [SiteJobRow] {
        numbers.map { number in
            var random = RandomNumbers(seed: UInt64(number))
            return SiteJobRow(
                id: number, siteID: Self.site(of: number), owner: Self.owner(Int(random.next() % 50)),
                due: Int(random.next() % 1_000_000_000), title: "Job \(random.next() % 100_000)")
        }
    }

    private var parts: [Range<Int>] {
        stride(from: 0, to: count, by: 5_000).map { $0..<min($0 + 5_000, count) }
    }

    private func fill(_ database: SQLiteRecordDatabase) async throws {
        let store = RecordStore(database)
        try await store.overwrite((0...Self.site(of: count - 1)).map { Site(id: $0, name: "Site \($0)") })
        for part in parts {
            let jobs = try jobs(part).map {
                SiteJob(
                    id: $0.id, site: try RecordLink<Site>(named: $0.siteID), owner: $0.owner, due: $0.due,
                    title: $0.title)
            }
            try await store.overwrite(jobs)
        }
        try await database.close()
    }

    private func fill(_ pool: DatabasePool) async throws {
        try await pool.write { database in
            try database.create(table: "site") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
            }
            try database.create(table: "job") { table in
                table.primaryKey("id", .integer)
                table.column("siteID", .integer).notNull().indexed().references("site", onDelete: .cascade)
                table.column("owner", .text).notNull()
                table.column("due", .integer).notNull()
                table.column("title", .text).notNull()
            }
            try database.create(indexOn: "job", columns: ["owner", "due"])
            for id in 0...Self.site(of: count - 1) { try SiteRow(id: id, name: "Site \(id)").insert(database) }
        }
        for part in parts { try await pool.write { for job in jobs(part) { try job.insert($0) } } }
        try pool.close()
    }

    // MARK: Comparisons

    /// Compares what finds some number of records with what finds as many rows.
    private func comparison(
        _ task: String, _ limit: Double, finds wanted: Int? = nil,
        sqlite: @escaping (_ owner: String) async throws -> Int, grdb: @escaping (_ owner: String) async throws -> Int
    ) async throws -> Comparison {
        func contender(_ name: String, _ find: @escaping (String) async throws -> Int) -> Contender {
            Contender(name: name) { round in
                let owner = Self.owner(round)
                return try await time { try check(try await find(owner), wanted) }
            }
        }
        return try await Comparison(
            task, count: 1, rounds: isQuick ? 3 : 200, within: .seconds(10), atLeast: 3,
            targets: [Target("sqlite", to: "grdb", atMost: self.limit(limit))],
            [contender("sqlite", sqlite), contender("grdb", grdb)])
    }

    private func check(_ found: Int, _ wanted: Int?) throws {
        guard found == wanted ?? found, found > 0 else { throw SQLiteFailure(message: "\(found) rows were found") }
    }

    private func pages(_ sqlite: SQLiteRecordDatabase, _ grdb: DatabasePool) async throws -> Comparison {
        try await comparison("page of 50 by an index", 1.2, finds: 50) { owner in
            try await RecordStore(sqlite).query(SiteJob.self).filter { $0.owner == owner }.sorted { $0.due }.limit(50)
                .page().count
        } grdb: { owner in
            try await grdb.read {
                try SiteJobRow.filter(Column("owner") == owner).order(Column("due")).limit(50).fetchAll($0).count
            }
        }
    }

    private func counts(_ sqlite: SQLiteRecordDatabase, _ grdb: DatabasePool) async throws -> Comparison {
        try await comparison("count by an index", 1) { owner in
            try await RecordStore(sqlite).query(SiteJob.self).filter { $0.owner == owner }.count()
        } grdb: { owner in
            try await grdb.read { try SiteJobRow.filter(Column("owner") == owner).fetchCount($0) }
        }
    }

    private func countsOfType(_ sqlite: SQLiteRecordDatabase, _ grdb: DatabasePool) async throws -> Comparison {
        try await comparison("count of a type", 1.2, finds: count) { _ in
            try await RecordStore(sqlite).query(SiteJob.self).count()
        } grdb: { _ in
            try await grdb.read { try SiteJobRow.fetchCount($0) }
        }
    }

    /// Each round deletes another site.
    private func deletions(_ sqlite: SQLiteRecordDatabase, _ grdb: DatabasePool) async throws -> Comparison {
        let store = RecordStore(sqlite)
        let rounds = isQuick ? 3 : 21
        return try await Comparison(
            "deletion of a site with 1000 jobs", count: 1_001, rounds: rounds,
            targets: [Target("sqlite", to: "grdb", atMost: limit(1.2))],
            [
                Contender(name: "sqlite") { round in
                    try await time {
                        try check(
                            try await store.delete(Site.self, named: round * 7, [.cascading, .dangling]).count, 1_001)
                    }
                },
                Contender(name: "grdb") { round in
                    try await time {
                        try check(try await grdb.write { try SiteRow.deleteOne($0, key: round * 7) } ? 1 : 0, 1)
                    }
                },
            ])
    }
}
#endif
