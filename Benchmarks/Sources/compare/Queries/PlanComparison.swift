#if Engines
import Foundation
import NestedRecords
import NestedRecordsPostgreSQL
import NestedRecordsSQLite

/// Pages with a filter and an order, each with an index of its own: the choice of the database against the better one.
///
/// The same records are stored as three types: with an index for the filter, with one for the order, and with both. The
/// values of the order are unrelated to the filter, or such that the records that match come last or first.
struct PlanComparison {
    private struct Cell {
        let relation: String
        let share: Double
        let limit: Int
        let times: [Double]
        let testedTimes: [Double]

        /// The time with both indexes, to the lesser one with a single index.
        var ratio: Double { times[2] / Swift.min(times[0], times[1]) }

        /// The same for a filter that has another condition, which no index has.
        var testedRatio: Double { testedTimes[2] / Swift.min(testedTimes[0], testedTimes[1]) }
    }

    private static let types = ["Filtered", "Ordered", "Both"]

    /// The number of records of each kind in 10,000: a filter by a kind has this share, one from the third on 98.9 %.
    private static let shares = [1, 10, 100, 1_000, 5_000]

    private let isQuick: Bool

    init(isQuick: Bool) { self.isQuick = isQuick }

    func run() async throws -> [Section] {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let indexes =
            [FieldIndex("Filtered", by: "kind"), FieldIndex("Both", by: "kind")]
            + ["Ordered", "Both"].flatMap { type in
                [FieldIndex(type, by: "unrelated"), FieldIndex(type, by: "related")]
            }
        var sections: [Section] = []
        for size in isQuick ? [1_000] : [1_000, 20_000, 200_000, 1_000_000] {
            var options = SQLiteRecordDatabase.Options()
            options.indexes = indexes
            let sqlite = try SQLiteRecordDatabase(path: folder.appending(path: "\(size).sqlite").path, options: options)
            var databases: [(String, any RecordDatabase)] = [("SQLite", sqlite)]
            var postgreSQL: PostgreSQLRecordDatabase?
            if let server = ListComparison.server {
                var options = PostgreSQLRecordDatabase.Options()
                (options.indexes, options.schema) = (indexes, "\(ListComparison.schema)_plans_\(size)")
                let database = try PostgreSQLRecordDatabase(connection: server, options: options)
                try await database.prepare()
                databases.append(("PostgreSQL", database))
                postgreSQL = database
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (_, database) in databases { group.addTask { try await fill(database, size) } }
                try await group.waitForAll()
            }
            for (name, database) in databases { sections.append(try await section(name, database, size)) }
            try await sqlite.close()
            await postgreSQL?.close()
        }
        return sections
    }

    private static func filter(_ kind: Int) -> RecordFilter {
        kind < shares.count ? .compare("kind", .equal, .int(Int64(kind))) : .compare("kind", .atLeast, 2)
    }

    private func fill(_ database: any RecordDatabase, _ size: Int) async throws {
        for start in stride(from: 0, to: size, by: 5_000) {
            var records: [NestedRecords.Record] = []
            for number in start..<min(start + 5_000, size) {
                var random = RandomNumbers(seed: UInt64(number))
                var place = Int(random.next() % 10_000)
                var kind = 0
                while kind < Self.shares.count, place >= Self.shares[kind] {
                    place -= Self.shares[kind]
                    kind += 1
                }
                let unrelated = Int64(random.next() % 1_000_000_000)
                for type in Self.types {
                    records.append(
                        try NestedRecords.Record(
                            id: NestedRecords.Record.ID(type: type, name: "\(number)"),
                            fields: [
                                "kind": .int(Int64(kind)), "unrelated": .int(unrelated),
                                "related": .int(Int64(9 - kind) * 1_000_000_000 + unrelated),
                                "title": .string("Record \(number)"),
                            ]))
                }
            }
            try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        }
    }

    private func section(_ name: String, _ database: any RecordDatabase, _ size: Int) async throws -> Section {
        var cells: [Cell] = []
        let orders = [
            ("unrelated", RecordOrder("unrelated")), ("matches last", RecordOrder("related")),
            ("matches first", RecordOrder("related", isDescending: true)),
        ]
        var number = 0
        for (relation, order) in orders {
            for limit in size > 200_000 ? [10, 1_000] : [1, 10, 100, 1_000] where limit <= size {
                func seconds(_ kind: Int, _ type: String, isTested: Bool) async throws -> Double {
                    var query = RecordQuery(type, where: Self.filter(kind), order: [order], limit: limit)
                    if isTested {
                        number += 1
                        query.filter = .all([Self.filter(kind), .compare("title", .notEqual, .string("\(number)"))])
                    }
                    return try await time { _ = try await database.page(query) }.seconds
                }
                let kinds = 0...Self.shares.count
                var times = kinds.map { _ in Self.types.map { _ in [Double]() } }
                var testedTimes = times
                for kind in kinds {
                    for _ in 0..<(isQuick || size > 200_000 ? 1 : 3) {
                        for (position, type) in Self.types.enumerated() {
                            // The first one finds the caches full of the data of the others.
                            let first = try await seconds(kind, type, isTested: false)
                            func count(_ time: Double, _ most: Int) -> Int {
                                isQuick ? 1 : max(1, min(most, Int(time / first)))
                            }
                            for _ in 0..<count(0.05, 60) {
                                times[kind][position].append(try await seconds(kind, type, isTested: false))
                            }
                            for _ in 0..<count(0.02, 20) {
                                testedTimes[kind][position].append(try await seconds(kind, type, isTested: true))
                            }
                        }
                    }
                }
                for kind in kinds {
                    cells.append(
                        Cell(
                            relation: relation,
                            share: kind < Self.shares.count ? Double(Self.shares[kind]) / 100 : 98.9, limit: limit,
                            times: times[kind].map(\.median), testedTimes: testedTimes[kind].map(\.median)))
                }
            }
        }
        var section = Section("plans", "\(name), \(size) records: two indexes to the better one alone; wall-clock time")
        for (relation, _) in orders {
            let most = isQuick ? nil : relation == "unrelated" ? 1.3 : 2.5
            for (what, ratio) in [
                ("indexes alone", { $0.ratio }), ("another condition", { $0.testedRatio }),
            ] as [(String, (Cell) -> Double)] {
                let ratios = cells.filter { $0.relation == relation }.map(ratio).sorted()
                section.add("\(relation), \(what), median of \(ratios.count)", ratios.median, "")
                section.add("\(relation), \(what), nine tenths are below", ratios[ratios.count * 9 / 10], "")
                section.add("\(relation), \(what), greatest", ratios.last ?? 0, "", atMost: most)
            }
        }
        let table = TextTable(
            header: [
                "order", "share", "limit", "index of the filter", "index of the order", "both", "ratio",
                "with another condition",
            ],
            rows: cells.map { cell in
                [cell.relation, "\(cell.share) %", "\(cell.limit)"] + cell.times.map(\.asTime) + [
                    cell.ratio.threeDigits, cell.testedRatio.threeDigits,
                ]
            })
        section.notes.append("\(table)")
        return section
    }
}
#endif
