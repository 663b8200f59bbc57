import Foundation
import NestedRecords
import TestSupport
import Testing

/// Groups of dates, prefixes and collations, on all databases.
@Suite struct EngineLanguageTests {
    private static let names = ["Älv", "alv", "Alm", "Zoo", "älg", "Öl", "alm", "A\u{308}lv", "Ål", "zoo"]

    private func records(_ count: Int) throws -> [Record] {
        var random = SplitMix64(seed: Sweep.seed)
        return try (0..<count).map { number in
            var fields: Record.Fields = [
                "name": .string(random.pick(Self.names) + "\(number % 7)"), "hours": .int(Int64(number)),
                "isDone": .bool(number.isMultiple(of: 3)),
            ]
            let seconds = Double.random(in: -1e9...2e9, using: &random)
            if number % 10 > 0 { fields["due"] = .date(Date(timeIntervalSince1970: seconds)) }
            return try Record(id: Record.ID(type: "Task", name: "\(number)"), fields: fields)
        }
    }

    @Test(arguments: [[], [FieldIndex("Task", by: "due"), FieldIndex("Task", by: "isDone", "due")]])
    func everyDatabaseHasTheGroupsOfTheCalendar(_ indexes: [FieldIndex]) async throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let records = try records(300)
        try await Engine.forEach(indexes: indexes) { engine in
            try await engine.database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            for (part, component) in [
                (.year, .year), (.month, .month), (.day, .day), (.hour, .hour),
            ] as [(RecordGrouping.DatePart, Calendar.Component)] {
                let grouping = RecordGrouping("due", part, in: calendar.timeZone)
                for filter in [nil, RecordFilter.compare("isDone", .equal, true)] {
                    let expected = Dictionary(grouping: try records.filter { try filter?.matches($0) ?? true }) {
                        record -> Record.Value? in
                        guard case .date(let date)? = record["due"] else { return nil }
                        return calendar.dateInterval(of: component, for: date).map { .date($0.start) }
                    }
                    for field in [nil, "hours"] as [FieldPath?] {
                        let groups = try await engine.database.summaries(
                            of: RecordQuery("Task", where: filter), field: field, groupedBy: grouping)
                        #expect(groups.count == expected.count, "\(engine.name), \(part)")
                        for group in groups {
                            let own = expected[group.group]
                            #expect(group.count == own?.count, "\(engine.name), \(part)")
                            guard field != nil else { continue }
                            let sum = own?.reduce(Int64(0)) { sum, record in
                                if case .int(let hours)? = record["hours"] { sum + hours } else { sum }
                            }
                            #expect(group.sum == sum.map { .int($0) }, "\(engine.name), \(part)")
                        }
                    }
                }
            }
        }
    }

    @Test func prefixIsReadFromAnIndex() async throws {
        let index = FieldIndex("Task", by: "name")
        try await Engine.forEach(indexes: [index]) { engine in
            try await engine.database.commit(RecordBatch(saving: records(200), savePolicy: .overwrite))
            let query = RecordQuery("Task", where: .hasPrefix("name", "Äl"), order: [RecordOrder("name")], limit: 5)
            let page = try await engine.database.page(query)
            let names = page.records.map { $0["name"] }
            #expect(names.count == 5 && names.allSatisfy { "\($0 ?? .null)".utf8.starts(with: "\"Älv".utf8) })
            if ["memory", "file"].contains(engine.name) { return }
            #expect(page.isPushedDown, "\(engine.name)")
            #expect(
                try await engine.database.explanation(of: query)
                    == "Reads 1 range of the index of Task by name in the order of the query, until the page is full.",
                "\(engine.name)")
        }
    }

    @Test(arguments: [nil, 1, 7]) func everyDatabaseHasTheOrderOfFoundation(limit: Int?) async throws {
        let records = try records(100)
        let locale = Locale(identifier: "sv")
        func name(_ record: Record) -> String { if case .string(let name)? = record["name"] { name } else { "" } }
        let expected = records.sorted { left, right in
            let result = name(left).compare(name(right), options: .literal, range: nil, locale: locale)
            if result != .orderedSame { return result == .orderedAscending }
            let (leftBytes, rightBytes) = (Array(name(left).utf8), Array(name(right).utf8))
            if leftBytes != rightBytes { return leftBytes.lexicographicallyPrecedes(rightBytes) }
            return left.id.name.utf8.lexicographicallyPrecedes(right.id.name.utf8)
        }.map(\.id)
        try await Engine.forEach(indexes: [FieldIndex("Task", by: "name")]) { engine in
            try await engine.database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
            var query = RecordQuery("Task", order: [RecordOrder("name", collation: "sv")], limit: limit)
            var found: [Record.ID] = []
            repeat {
                let page = try await engine.database.page(query)
                found += page.records.map(\.id)
                query.after = page.next
            } while query.after != nil && found.count < records.count
            #expect(found == expected, "\(engine.name)")
        }
    }
}
