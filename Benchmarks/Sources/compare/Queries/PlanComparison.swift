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
        let firstTimes: [Double]

        /// The time with both indexes, to the lesser one with a single index.
        var ratio: Double { times[2] / Swift.min(times[0], times[1]) }

        /// The same for queries that were not asked before, whose plan is not known yet.
        var firstRatio: Double { firstTimes[2] / Swift.min(firstTimes[0], firstTimes[1]) }
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
        for size in isQuick ? [1_000] : [1_000, 20_000, 200_000] {
            var options = SQLiteRecordDatabase.Options()
            options.indexes = indexes
            let sqlite = try SQLiteRecordDatabase(path: folder.appending(path: "\(size).sqlite").path, options: options)
            sections.append(try await section("SQLite", sqlite, size))
            try await sqlite.close()
            guard let server = ListComparison.server else { continue }
            var serverOptions = PostgreSQLRecordDatabase.Options()
            (serverOptions.indexes, serverOptions.schema) = (indexes, "\(ListComparison.schema)_plans_\(size)")
            let database = try PostgreSQLRecordDatabase(connection: server, options: serverOptions)
            try await database.prepare()
            sections.append(try await section("PostgreSQL", database, size))
            await database.close()
        }
        return sections
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
        try await fill(database, size)
        var cells: [Cell] = []
        let orders = [
            ("unrelated", RecordOrder("unrelated")), ("matches last", RecordOrder("related")),
            ("matches first", RecordOrder("related", isDescending: true)),
        ]
        for (relation, order) in orders {
            for kind in 0...Self.shares.count {
                let filter: RecordFilter =
                    kind < Self.shares.count
                    ? .compare("kind", .equal, .int(Int64(kind))) : .compare("kind", .atLeast, 2)
                let share = kind < Self.shares.count ? Double(Self.shares[kind]) / 100 : 98.9
                for limit in [1, 10, 100, 1_000] where limit <= size {
                    var times = Self.types.map { _ in [Double]() }
                    var firstTimes = times
                    var number = 0
                    for _ in 0..<(isQuick ? 1 : 3) {
                        for (position, type) in Self.types.enumerated() {
                            let query = RecordQuery(type, where: filter, order: [order], limit: limit)
                            // The first one finds the caches full of the data of the others.
                            let first = try await time { _ = try await database.page(query) }.seconds
                            for _ in 0..<(isQuick ? 1 : max(1, min(60, Int(0.05 / first)))) {
                                times[position].append(try await time { _ = try await database.page(query) }.seconds)
                            }
                            for _ in 0..<(isQuick ? 1 : max(1, min(20, Int(0.02 / first)))) {
                                var other = query
                                number += 1
                                other.filter = .all([filter, .compare("title", .notEqual, .string("\(number)"))])
                                firstTimes[position].append(
                                    try await time { _ = try await database.page(other) }.seconds)
                            }
                        }
                    }
                    cells.append(
                        Cell(
                            relation: relation, share: share, limit: limit, times: times.map(\.median),
                            firstTimes: firstTimes.map(\.median)))
                }
            }
        }
        var section = Section("plans", "\(name), \(size) records: two indexes to the better one alone; wall-clock time")
        for (relation, _) in orders {
            let ratios = cells.filter { $0.relation == relation }.map(\.ratio).sorted()
            section.add("\(relation), median of \(ratios.count)", ratios.median, "")
            section.add("\(relation), nine tenths are below", ratios[ratios.count * 9 / 10], "")
            section.add(
                "\(relation), greatest", ratios.last ?? 0, "",
                atMost: isQuick ? nil : relation == "unrelated" ? 1.3 : 2.5)
            let firstRatios = cells.filter { $0.relation == relation }.map(\.firstRatio).sorted()
            section.add("\(relation), asked for the first time, median", firstRatios.median, "")
            section.add("\(relation), first time, nine tenths are below", firstRatios[firstRatios.count * 9 / 10], "")
            section.add("\(relation), first time, greatest", firstRatios.last ?? 0, "")
        }
        let table = TextTable(
            header: [
                "order", "share", "limit", "index of the filter", "index of the order", "both", "ratio", "first time",
            ],
            rows: cells.map { cell in
                [cell.relation, "\(cell.share) %", "\(cell.limit)"] + cell.times.map(\.asTime) + [
                    cell.ratio.threeDigits, cell.firstRatio.threeDigits,
                ]
            })
        section.notes.append("\(table)")
        return section
    }
}
#endif
