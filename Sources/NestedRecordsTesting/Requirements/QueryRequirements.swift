import Foundation
import NestedRecords

extension RecordDatabaseRequirement {
    static let queries = [
        RecordDatabaseRequirement("answers every comparison like a scan of all records") { database in
            try await database.saveInBatches(QuerySamples.records())
            let records = try await database.samples()
            for filter in QuerySamples.comparisons {
                try await expectAnswer(to: RecordQuery("Sample", where: filter), of: records, by: database)
            }
        },
        RecordDatabaseRequirement("answers every condition and combination like a scan of all records") { database in
            try await database.saveInBatches(QuerySamples.records())
            let records = try await database.samples()
            for filter in try QuerySamples.conditions() {
                for filter in [filter, !filter, filter && .exists("a"), .any([.isNull("b"), !filter])] {
                    try await expectAnswer(to: RecordQuery("Sample", where: filter), of: records, by: database)
                }
            }
        },
        RecordDatabaseRequirement("gives pages in order, of every size") { database in
            try await database.saveInBatches(QuerySamples.records())
            let records = try await database.samples()
            let orders: [[RecordOrder]] = [
                [], [RecordOrder("a")], [RecordOrder("a", isDescending: true)],
                [RecordOrder("b", isDescending: true), RecordOrder("a")], [RecordOrder("m.x"), RecordOrder("b")],
                [RecordOrder(.recordName, isDescending: true)], [RecordOrder("place.latitude"), RecordOrder("none")],
            ]
            for order in orders {
                for limit in [1, 3, 50, nil] {
                    let query = RecordQuery("Sample", where: .exists("a"), order: order, limit: limit)
                    try await expectAnswer(to: query, of: records, by: database)
                }
            }
        },
        RecordDatabaseRequirement("continues after a page although records come and go") { database in
            for number in 100..<120 { _ = try await database.saved(Record.sample("\(number)")) }
            var query = RecordQuery("Sample", order: [RecordOrder("text")], limit: 3)
            var found: [String] = []
            repeat {
                let page = try await database.page(query)
                found += page.records.map(\.id.name)
                query.after = page.next
                let last = try unwrap(page.records.last, "a page is empty although another page follows")
                if found.count.isMultiple(of: 2) {
                    try await database.delete(last.id)
                } else {
                    _ = try await database.saved(Record.sample("0" + last.id.name))
                }
            } while query.after != nil && found.count < 100
            try expect(found == (100..<120).map(String.init), "the pages have the records \(found)")
        },
        RecordDatabaseRequirement("refuses the cursor of another query", needs: .readYourQueries) { database in
            for number in 1...3 { _ = try await database.saved(Record.sample("\(number)")) }
            let cursor = try await database.page(RecordQuery("Sample", limit: 1)).next
            let query = RecordQuery(
                "Sample", order: [RecordOrder("text")], limit: 1,
                after: try unwrap(cursor, "a page before further records has no cursor"))
            do {
                _ = try await database.page(query)
            } catch RecordError.Code.foreignCursor {
                return
            }
            throw UnmetExpectation(explanation: "the cursor was not refused")
        },
        RecordDatabaseRequirement("summarizes records, whole and in groups") { database in
            try await database.saveInBatches(
                (0..<23).map { number in
                    var fields: Record.Fields = [
                        "kind": .string("\(number % 3)"), "price": .double(Double(number) / 10),
                    ]
                    if number % 7 == 0 { fields["price"] = .int(Int64(number)) }
                    if number % 5 == 0 { fields["kind"] = number % 2 == 0 ? nil : .null }
                    return try Record(id: Record.ID(type: "Sample", name: "\(number)"), fields: fields)
                })
            for filter in [nil, RecordFilter.compare("price", .greater, .double(0.7)), .exists("none")] {
                for group in [nil, "kind", "price"] as [RecordGrouping?] {
                    for field in [nil, "price", "kind"] as [FieldPath?] {
                        let query = RecordQuery("Sample", where: filter, limit: 2)
                        var scan = try RecordSummaryScan(RecordFilterPart(filter), of: field, groupedBy: group)
                        for try await record in database.records(ofType: "Sample") { try scan.add(record) }
                        let answer = try await database.summaries(of: query, field: field, groupedBy: group)
                        try expect(
                            answer == scan.summaries, "the summaries are \(answer) instead of \(scan.summaries)")
                    }
                }
            }
        },
        RecordDatabaseRequirement("groups dates by parts of the calendar in a time zone", needs: .readYourQueries) {
            database in
            let zone = try unwrap(TimeZone(identifier: "Europe/Berlin"), "this system has no time zones")
            let dates: [String?] = [
                "1969-12-31T22:30:00Z", "2024-03-31T00:30:00Z", "2024-03-31T21:59:59Z", "2024-03-31T22:00:00Z", nil,
            ]
            try await database.saveInBatches(
                dates.enumerated().map { number, text in
                    let date = text.flatMap { Date(recordString: $0) }
                    return try Record(
                        id: Record.ID(type: "Sample", name: "\(number)"),
                        fields: date.map { ["date": .date($0)] } ?? [:])
                })
            // In Berlin, clocks changed from UTC+1 to UTC+2 on 31 March 2024.
            let expected: [RecordGrouping.DatePart: [(start: String, count: Int)]] = [
                .year: [("1968-12-31T23:00:00Z", 1), ("2023-12-31T23:00:00Z", 3)],
                .quarter: [("1969-09-30T23:00:00Z", 1), ("2023-12-31T23:00:00Z", 2), ("2024-03-31T22:00:00Z", 1)],
                .month: [("1969-11-30T23:00:00Z", 1), ("2024-02-29T23:00:00Z", 2), ("2024-03-31T22:00:00Z", 1)],
                .week: [("1969-12-28T23:00:00Z", 1), ("2024-03-24T23:00:00Z", 2), ("2024-03-31T22:00:00Z", 1)],
                .day: [("1969-12-30T23:00:00Z", 1), ("2024-03-30T23:00:00Z", 2), ("2024-03-31T22:00:00Z", 1)],
                .hour: [
                    ("1969-12-31T22:00:00Z", 1), ("2024-03-31T00:00:00Z", 1), ("2024-03-31T21:00:00Z", 1),
                    ("2024-03-31T22:00:00Z", 1),
                ],
            ]
            for part in RecordGrouping.DatePart.allCases {
                let answer = try await database.summaries(
                    of: RecordQuery("Sample"), field: nil, groupedBy: RecordGrouping("date", part, in: zone))
                let groups = (expected[part] ?? []).map { start, count in
                    (Date(recordString: start).map { Record.Value.date($0) }, count)
                }
                try expect(
                    answer.elementsEqual([(nil, 1)] + groups) { $0.group == $1.0 && $0.count == $1.1 },
                    "the groups by \(part) are \(answer.map { ($0.group, $0.count) }) instead of \(groups)")
            }
        },
        RecordDatabaseRequirement("finds the references to records", needs: .readYourQueries) { database in
            let target = try Record.ID(type: "Sample", name: "target")
            let other = try Record.ID(type: "Sample", name: "other")
            var first = try Record.sample("a")
            first["x"] = .map([
                "y": .list([.reference(Record.Reference(to: target)), .reference(Record.Reference(to: other))])
            ])
            var second = try Record.sample("b", type: "Other")
            second["z"] = .reference(Record.Reference(to: target, action: .deleteSelf, isLink: true))
            try await database.saveInBatches([first, second])
            let found = try await database.referrers(of: [target, first.id])
            try expect(found[first.id] == nil, "\(first.id) is referred to by \(found[first.id] ?? [])")
            let referrers = Set((found[target] ?? []).map(\.description))
            try expect(
                referrers == ["Sample/a .x.y[0]", "Other/b .z"], "\(target) is referred to by \(referrers)")
        },
    ]

    /// Expects the pages and the count of a query to be those of a scan of its records.
    private static func expectAnswer(
        to query: RecordQuery, of records: [Record], by database: any RecordDatabase
    ) async throws {
        let (targets, _) = try await database.targets(of: query.filter)
        var (query, whole) = (query, query)
        whole.limit = nil
        var scan = try QueryScan(whole, targets: targets)
        for record in records { scan.add(record) }
        let all = scan.page().records
        var rest = all[...]
        repeat {
            let page = try await database.page(query)
            let expected = rest.prefix(query.limit ?? rest.count)
            try expect(
                page.records.elementsEqual(expected),
                "a page has \(page.records.map(\.id)) instead of \(expected.map(\.id)): \(query)")
            rest = rest.dropFirst(expected.count)
            try expect((page.next == nil) == rest.isEmpty, "a page has a wrong end: \(query)")
            query.after = page.next
        } while query.after != nil
        let answer = try await database.count(query)
        try expect(answer == all.count, "\(answer) records are counted instead of \(all.count): \(query)")
    }
}

extension RecordDatabase {
    /// All records of the type of the samples.
    fileprivate func samples() async throws -> [Record] {
        var records: [Record] = []
        for try await record in self.records(ofType: "Sample") { records.append(record) }
        return records
    }
}

private enum QuerySamples {
    private static let values: [Record.Value] = [
        .null, true, false, 0, .double(-0.0), 1, .double(1), .double(1.5), .int(.max), .int(.max - 1), .double(0x1p63),
        .int(.min), .double(.nan), .double(.infinity), "", "a", "a\0", "a\u{1}", "é", "e\u{301}", "'\"\\%_", "A",
        .string(String(repeating: "x", count: 10_000)), .string(String(repeating: "x", count: 9_999)),
        .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: -0.5)),
        .bytes(Data()), .bytes(Data([0, 255])), .list([]), .list(["a"]), .list([1, "a"]), .list([.list([])]), .map([:]),
        .map(["x": 1]),
    ]

    private static func reference(_ name: String, type: String = "Sample") throws -> Record.Value {
        .reference(Record.Reference(to: try Record.ID(type: type, name: name)))
    }

    static func records() throws -> [Record] {
        var records: [Record] = []
        for (number, value) in values.enumerated() {
            var fields: Record.Fields = ["a": value, "b": values[number * 7 % values.count], "m": .map(["x": value])]
            if number % 4 == 0 { fields["b"] = nil }
            if number % 3 == 0 { fields["to"] = .list([try reference("\(number / 2)"), "x"]) }
            if number % 3 == 1 { fields["to"] = try reference("\(number / 2)") }
            if number % 4 == 1 {
                let inner: Record.Value = .list([.map(["n": value])])
                fields["parts"] = .list([
                    1, .map(["n": .int(Int64(number / 2)), "a": .map(["x": value])]),
                    .map(["to": try reference("\(number / 2)"), "parts": inner]),
                ])
            }
            fields["place"] = .location(
                try Location(latitude: Double(number % 9), longitude: Double(number * 10 - 170)))
            if number % 5 == 0 { fields["place"] = .string("\(number % 9);\(number * 10 - 170)") }
            records.append(try Record(id: Record.ID(type: "Sample", name: "\(number)"), fields: fields))
        }
        return records + [try Record.sample("é'\"%"), try Record.sample("1", type: "Other")]
    }

    static var comparisons: [RecordFilter] {
        RecordFilter.Comparison.allCases.flatMap { comparison in
            values.map { .compare("a", comparison, $0) }
        }
    }

    static func conditions() throws -> [RecordFilter] {
        let southWest = try Location(latitude: 2, longitude: 150)
        let northEast = try Location(latitude: 8, longitude: -150)
        return [
            .isAny("a", of: values.filter { $0 != .null }), .isAny("b", of: [1, "a"]), .isAny("a", of: []),
            .exists("b"),
            .isNull("a"), .hasPrefix("a", "a"), .hasPrefix("a", "e"), .containsText("a", "%"),
            .containsText("a", "A", ignoring: .case), .contains("a", "a"), .contains("a", .double(1)),
            .compare("m.x", .greater, 0), .compare(.recordName, .less, "2"), .compare("m", .equal, .map(["x": "a"])),
            .within("place", southWest: southWest, northEast: northEast),
            .near("place", try Location(latitude: 1, longitude: 0), metres: 3_000_000),
            .refers("to", to: "Sample", where: .compare("a", .atLeast, 0)), .refers("to", to: "Other"),
            .refers("to", to: "Sample", where: .refers("to", to: "Sample", where: .exists("b"))),
            .hasElement("parts", where: .compare("n", .atLeast, 5) && .compare("a.x", .notEqual, "b")),
            .hasElement("parts", where: .refers("to", to: "Sample", where: .exists("b"))),
            .hasElement("parts", where: .hasElement("parts", where: .exists("n")) || !.exists("n")),
        ]
    }
}
