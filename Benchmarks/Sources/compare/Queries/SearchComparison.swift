#if Engines
import Foundation
import GRDB
import NestedRecords
import NestedRecordsFile
import NestedRecordsSQLite

private struct Note: RecordCodable, Identifiable, Sendable {
    var id: Int
    var title: String
    var date: Date

    static let schema = RecordSchema(indexes: [["title"]])

    init(_ number: Int) {
        var random = RandomNumbers(seed: UInt64(number))
        let words = ["sea", "Crème brûlée", "Übung", "harbour", "ÅNGSTRÖM", "tide", "lantern", "Œuvre"]
        id = number
        title = "\(words[Int(random.next() % 8)]) \(random.next() % 100_000)"
        date = Date(timeIntervalSince1970: Double(1_600_000_000 + random.next() % 94_608_000))
    }
}

private struct Folder: RecordCodable, Identifiable, Sendable {
    var id: Int
    var parent: RecordLink<Folder>?

    static let schema = RecordSchema(indexes: [["parent"]])

    /// Four folders are in each, and all are below the first.
    init(_ number: Int) throws {
        id = number
        parent = try number == 0 ? nil : RecordLink(named: (number - 1) / 4)
    }
}

private struct Photo: RecordCodable, Identifiable, Sendable {
    var id: Int
    var name: String
    var date: Date
    var content: Data

    init(_ number: Int) {
        (id, name) = (number, "Photo \(number)")
        date = Date(timeIntervalSince1970: Double(1_600_000_000 + number))
        content = Data(repeating: UInt8(number % 256), count: 100_000)
    }
}

extension Note: FetchableRecord, PersistableRecord {}
extension Photo: FetchableRecord, PersistableRecord {}

/// Queries that apps have besides lists, with the same values in rows of GRDB.
struct SearchComparison {
    private let isQuick: Bool
    private let folder: URL
    private static let zone = TimeZone(identifier: "Europe/Paris") ?? .gmt
    private static let locale = Locale(identifier: "sv")

    init(isQuick: Bool) throws {
        self.isQuick = isQuick
        folder = try TemporaryFolder.make()
    }

    func run() async throws -> [Section] {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try FileRecordDatabase(path: folder.appending(path: "searches.records").path)
        var options = SQLiteRecordDatabase.Options()
        options.indexes = try FieldIndex.declared(by: Note.self, Folder.self)
        let sqlite = try SQLiteRecordDatabase(path: folder.appending(path: "searches.sqlite").path, options: options)
        let databases: [(String, any RecordDatabase)] = [
            ("memory", InMemoryRecordDatabase()), ("file", file), ("sqlite", sqlite),
        ]
        let (noteCount, folderCount) = isQuick ? (2_000, 1_000) : (20_000, 10_000)
        let notes = (0..<noteCount).map(Note.init)
        let folders = try (0..<folderCount).map(Folder.init)
        let photos = (0..<50).map(Photo.init)
        for (_, database) in databases {
            let store = RecordStore(database)
            for start in stride(from: 0, to: noteCount, by: 5_000) {
                try await store.overwrite(Array(notes[start..<min(start + 5_000, noteCount)]))
            }
            for start in stride(from: 0, to: folderCount, by: 5_000) {
                try await store.overwrite(Array(folders[start..<min(start + 5_000, folderCount)]))
            }
            for photo in photos { try await store.overwrite(photo) }
        }
        let grdb = try rows(notes, folderCount, photos)
        var section = Section("searches", "Queries of apps, beside rows of GRDB; processor time")
        section.comparisons = try await [
            months(databases, grdb), text(databases, grdb), collation(databases, grdb),
            prefix(databases, grdb), tree(databases, grdb, folderCount), projection(databases, grdb),
        ]
        try await file.close()
        try await sqlite.close()
        try grdb.close()
        return [section]
    }

    private func rows(_ notes: [Note], _ folderCount: Int, _ photos: [Photo]) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            database.add(
                function: DatabaseFunction("hasText", argumentCount: 2, pure: true) { values in
                    guard let title = String.fromDatabaseValue(values[0]),
                        let text = String.fromDatabaseValue(values[1])
                    else { return nil }
                    return title.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
                })
            database.add(
                collation: DatabaseCollation("swedish") { $0.compare($1, locale: Self.locale) })
        }
        let pool = try DatabasePool(path: folder.appending(path: "searches.grdb").path, configuration: configuration)
        try pool.write { database in
            try database.create(table: "note") { table in
                table.primaryKey("id", .integer)
                table.column("title", .text).notNull().indexed()
                table.column("date", .datetime).notNull()
            }
            try database.create(table: "folder") { table in
                table.primaryKey("id", .integer)
                table.column("parent", .integer).indexed()
            }
            try database.create(table: "photo") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
                table.column("date", .datetime).notNull()
                table.column("content", .blob).notNull()
            }
            for note in notes { try note.insert(database) }
            for number in 0..<folderCount {
                try database.execute(
                    sql: "INSERT INTO folder VALUES (?, ?)",
                    arguments: [number, number == 0 ? nil : (number - 1) / 4])
            }
            for photo in photos { try photo.insert(database) }
        }
        return pool
    }

    /// Compares what each database finds with what is expected, and measures it.
    private func comparison<Found: Equatable & Sendable>(
        _ task: String, _ databases: [(String, any RecordDatabase)], _ expected: Found? = nil,
        _ find: @escaping @Sendable (RecordStore) async throws -> Found,
        grdb: @escaping @Sendable () async throws -> Found
    ) async throws -> Comparison {
        let contenders =
            databases.map { name, database in (name, { @Sendable in try await find(RecordStore(database)) }) }
            + [("grdb", grdb)]
        let first = try await contenders[0].1()
        for (name, find) in contenders {
            guard try await find() == expected ?? first else { throw SQLiteFailure(message: "\(task) of \(name)") }
        }
        return try await Comparison(
            task, count: 1, rounds: isQuick ? 2 : 100, within: .seconds(15), atLeast: 3,
            targets: databases.map { Target($0.0, to: "grdb") },
            contenders.map { name, find in Contender(waiting: name, find) })
    }

    // MARK: Queries

    private func months(
        _ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool
    ) async throws -> Comparison {
        try await comparison("counts by month in a zone", databases) { store in
            try await store.query(Note.self).grouped(by: .month, in: Self.zone, of: { $0.date }).count().map(\.value)
        } grdb: {
            var calendar = Calendar(identifier: .iso8601)
            calendar.timeZone = Self.zone
            let dates = try await grdb.read { try Date.fetchAll($0, sql: "SELECT date FROM note") }
            var counts: [Int: Int] = [:]
            for date in dates {
                let parts = calendar.dateComponents([.year, .month], from: date)
                counts[(parts.year ?? 0) * 12 + (parts.month ?? 0), default: 0] += 1
            }
            return counts.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private func text(_ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool) async throws -> Comparison {
        try await comparison("text, ignoring case and accents", databases) { store in
            try await store.query(Note.self).filter {
                $0.title.containsText("BRULEE 7", ignoring: [.case, .accents])
            }.all().map(\.id).sorted()
        } grdb: {
            try await grdb.read {
                try Note.filter(sql: "hasText(title, 'BRULEE 7')").order(Column("id")).fetchAll($0)
            }.map(\.id)
        }
    }

    private func collation(
        _ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool
    ) async throws -> Comparison {
        try await comparison("20 in a Swedish order", databases) { store in
            try await store.query(Note.self).sorted(collation: "sv") { $0.title }.limit(20).all().map(\.title)
        } grdb: {
            try await grdb.read {
                try Note.order(sql: "title COLLATE swedish").limit(20).fetchAll($0)
            }.map(\.title)
        }
    }

    private func prefix(
        _ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool
    ) async throws -> Comparison {
        @Sendable func query(_ store: RecordStore) -> NestedRecords.Query<Note> {
            store.query(Note.self).filter { $0.title.hasPrefix("lantern 7") }.sorted { $0.title }.limit(20)
        }
        let plan = try await query(RecordStore(databases[2].1)).explanation()
        guard plan.hasPrefix("Reads 1 range of the index of Note by title in the order of the query") else {
            throw SQLiteFailure(message: plan)
        }
        return try await comparison("20 by a prefix, with an index", databases) { store in
            try await query(store).all().map(\.title)
        } grdb: {
            try await grdb.read {
                try Note.filter(Column("title") >= "lantern 7" && Column("title") < "lantern 8")
                    .order(Column("title")).limit(20).fetchAll($0)
            }.map(\.title)
        }
    }

    private func tree(
        _ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool, _ count: Int
    ) async throws -> Comparison {
        try await comparison("\(count) folders below one", databases, count - 1) { store in
            try await store.query(Folder.self).descendants(of: 0, by: \.parent).count
        } grdb: {
            try await grdb.read {
                try Row.fetchAll(
                    $0,
                    sql: """
                        WITH RECURSIVE below(id, depth) AS (
                            SELECT id, 1 FROM folder WHERE parent = 0
                            UNION ALL
                            SELECT folder.id, depth + 1 FROM folder JOIN below ON folder.parent = below.id)
                        SELECT id, depth FROM below ORDER BY depth, id
                        """
                ).map { (id: $0[0] as Int, depth: $0[1] as Int) }.count
            }
        }
    }

    private func projection(
        _ databases: [(String, any RecordDatabase)], _ grdb: DatabasePool
    ) async throws -> Comparison {
        try await comparison("names and dates of 50 photos of 100 KB", databases) { store in
            try await store.query(Photo.self).sorted { $0.date }.fields {
                $0.name
                $0.date
            }.all().map { try $0.name + "\(try $0.date.timeIntervalSince1970)" }
        } grdb: {
            try await grdb.read {
                try Row.fetchAll($0, sql: "SELECT name, date FROM photo ORDER BY date").map {
                    ($0["name"] as String) + "\(($0["date"] as Date).timeIntervalSince1970)"
                }
            }
        }
    }
}
#endif
