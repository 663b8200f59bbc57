import Foundation
import TestSupport

@_spi(Engines) @testable import NestedRecords

extension DatabaseFault {
    static let queries = [
        DatabaseFault(
            "compares strings by their meaning", violates: "answers every comparison like a scan of all records",
            saying: "instead of"
        ) {
            BrokenDatabase(answer: { base, query in
                var page = try await base.page(query)
                guard case .compare(_, .equal, .string(let text))? = query.filter?.terms.first else { return page }
                page.records = []
                for try await record in base.records(ofType: query.recordType)
                where record["a"] == .string(text) || text == "é" {
                    page.records.append(record)
                }
                return page
            })
        },
        DatabaseFault(
            "counts records of all types", violates: "answers every comparison like a scan of all records",
            saying: "are counted instead of"
        ) {
            var database = BrokenDatabase()
            database.count = { base, query in
                try await base.count(query) + base.count(RecordQuery("Other", where: query.filter))
            }
            return database
        },
        DatabaseFault(
            "has no group of records without the field", violates: "summarizes records, whole and in groups",
            saying: "instead of"
        ) {
            var database = BrokenDatabase()
            database.summarize = { base, query, field, group in
                let summaries = try await base.summaries(of: query, field: field, groupedBy: group)
                return group == nil ? summaries : summaries.filter { $0.group != nil }
            }
            return database
        },
        DatabaseFault(
            "summarizes only a page", violates: "summarizes records, whole and in groups", saying: "instead of"
        ) {
            var database = BrokenDatabase()
            database.summarize = { base, query, field, group in
                var scan = try RecordSummaryScan(RecordFilterPart(nil), of: field, groupedBy: group)
                for record in try await base.page(query).records { try scan.add(record) }
                return scan.summaries
            }
            return database
        },
        DatabaseFault(
            "leaves out records without the field",
            violates: "answers every condition and combination like a scan of all records", saying: "instead of"
        ) {
            BrokenDatabase(answer: { base, query in
                var page = try await base.page(query)
                page.records.removeAll { $0["b"] == nil }
                return page
            })
        },
        DatabaseFault(
            "orders by names alone", violates: "gives pages in order, of every size", saying: "instead of"
        ) {
            BrokenDatabase(answer: { base, query in
                var query = query
                if query.limit == nil { query.order = [] }
                return try await base.page(query)
            })
        },
        DatabaseFault(
            "forgets that there is more", violates: "gives pages in order, of every size", saying: "a wrong end"
        ) {
            BrokenDatabase(answer: { base, query in
                var page = try await base.page(query)
                page.next = nil
                return page
            })
        },
        DatabaseFault(
            "counts the records to skip", violates: "continues after a page although records come and go",
            saying: "the pages have the records"
        ) {
            let skipped = Locked(0)
            return BrokenDatabase(answer: { base, query in
                var whole = query
                (whole.after, whole.limit) = (nil, nil)
                let all = try await base.page(whole).records
                let start = query.after == nil ? 0 : skipped.withLock { $0 }
                let end = min(all.count, start + (query.limit ?? all.count))
                skipped.withLock { $0 = end }
                let records = Array(all[min(start, end)..<end])
                let next = end < all.count ? records.last.map { QueryCursor(of: query, after: $0) } : nil
                return RecordPage(
                    records: records, next: next,
                    examinedCount: all.count, matchCount: all.count)
            })
        },
        DatabaseFault(
            "takes any cursor", violates: "refuses the cursor of another query", saying: "the cursor was not refused"
        ) {
            BrokenDatabase(answer: { base, query in
                var query = query
                query.after = nil
                return try await base.page(query)
            })
        },
        DatabaseFault(
            "groups dates in another time zone", violates: "groups dates by parts of the calendar in a time zone",
            saying: "instead of"
        ) {
            var database = BrokenDatabase()
            database.summarize = { base, query, field, group in
                let group = group.map { group in
                    group.part.map { RecordGrouping(group.path, $0, in: .gmt) } ?? group
                }
                return try await base.summaries(of: query, field: field, groupedBy: group)
            }
            return database
        },
        DatabaseFault(
            "looks for references in fields alone", violates: "finds the references to records",
            saying: "is referred to by"
        ) {
            var database = BrokenDatabase()
            database.refer = { base, ids in
                try await base.referrers(of: ids).mapValues { $0.filter { !$0.path.contains("[") } }
            }
            return database
        },
    ]
}
