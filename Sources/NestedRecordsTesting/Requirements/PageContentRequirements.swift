import Foundation
import NestedRecords

extension RecordDatabaseRequirement {
    static let pageContents = [
        RecordDatabaseRequirement("gives records with some of their fields") { database in
            try await database.saveInBatches(samples())
            for order in [[], [RecordOrder("size", isDescending: true)], [RecordOrder("kind"), RecordOrder("none")]] {
                for filter in [nil, RecordFilter.compare("kind", .equal, "b"), .exists("inner.x")] {
                    let whole = RecordQuery("Sample", where: filter, order: order)
                    let records = try await database.page(whole).records
                    for fields in [[], ["size"], ["inner", "none", "bytes"]] as [Set<String>] {
                        for limit in [2, nil] {
                            var query = whole
                            (query.fields, query.limit) = (fields, limit)
                            let pages = try await database.pages(of: query)
                            try expect(
                                pages.joined().map(\.id) == records.map(\.id),
                                "the records are \(pages.joined().map(\.id)) instead of \(records.map(\.id)): \(query)")
                            for (part, record) in zip(pages.joined(), records) {
                                let expected = record.fields.filter { fields.contains($0.name) }
                                try expect(
                                    part.isPartial && part.metadata == record.metadata
                                        && part.fields == Record.Fields(expected.map { ($0.name, $0.value) }),
                                    "\(part.id) has the fields \(part.fields.map(\.name)) instead of \(fields.sorted())"
                                )
                            }
                        }
                    }
                }
            }
        },
        RecordDatabaseRequirement("refuses to save a record with some of its fields") { database in
            let record = try await database.saved(samples()[0])
            var query = RecordQuery("Sample", where: .exists("kind"))
            query.fields = ["kind"]
            let page = try await database.page(query)
            var part = try unwrap(page.records.first, "a query for a field finds no record")
            part["kind"] = "new"
            for policy in SavePolicy.allCases {
                do {
                    _ = try await database.commit(RecordBatch(saving: [part], savePolicy: policy))
                    throw UnmetExpectation(explanation: "a record without its other fields was saved")
                } catch RecordError.Code.partialRecord {}
            }
            try await database.expectHolds(record)
        },
        RecordDatabaseRequirement("gives pages that are limited in bytes") { database in
            try await database.saveInBatches(samples())
            let size = RecordDatabaseLimits().recordSize
            for order in [[], [RecordOrder("size")], [RecordOrder("kind", isDescending: true)]] {
                for fields in [nil, ["bytes"], ["kind"]] as [Set<String>?] {
                    var query = RecordQuery("Sample", order: order)
                    query.fields = fields
                    let records = try await database.page(query).records
                    for (limit, count) in [(0, nil), (300, nil), (700, 3), (1_500, 100), (1 << 20, nil)]
                        as [(Int, Int?)]
                    {
                        (query.byteLimit, query.limit) = (limit, count)
                        var rest = records[...]
                        for page in try await database.pages(of: query) {
                            var sum = 0
                            let expected = rest.prefix(count ?? .max).enumerated().prefix { position, record in
                                sum += size(record)
                                return position == 0 || sum <= limit
                            }
                            try expect(
                                page.map(\.id) == expected.map(\.element.id),
                                "a page of \(limit) bytes has \(page.count) records instead of \(expected.count): \(query)"
                            )
                            rest = rest.dropFirst(page.count)
                        }
                        try expect(rest.isEmpty, "the pages lack \(rest.count) records: \(query)")
                    }
                }
            }
            do {
                var query = RecordQuery("Sample")
                query.byteLimit = -1
                _ = try await database.page(query)
            } catch RecordError.Code.invalidLimit {
                return
            }
            throw UnmetExpectation(explanation: "a negative number of bytes was not refused")
        },
    ]

    private static func samples() throws -> [Record] {
        try (0..<14).map { number in
            var fields: Record.Fields = [
                "size": .int(Int64(number * 50 % 7)), "kind": .string(number % 3 == 0 ? "a" : "b"),
                "bytes": .bytes(Data(repeating: 1, count: number * 37 % 400)),
            ]
            if number % 4 == 0 { fields["inner"] = .map(["x": .int(Int64(number))]) }
            return try Record(id: Record.ID(type: "Sample", name: "\(number)"), fields: fields)
        }
    }
}

extension RecordDatabase {
    /// The records of all pages of a query.
    fileprivate func pages(of query: RecordQuery) async throws -> [[Record]] {
        var (query, pages) = (query, [[Record]]())
        repeat {
            let page = try await page(query)
            try expect(!page.records.isEmpty || page.next == nil, "a page is empty although another page follows")
            pages.append(page.records)
            query.after = page.next
        } while query.after != nil
        return pages
    }
}
