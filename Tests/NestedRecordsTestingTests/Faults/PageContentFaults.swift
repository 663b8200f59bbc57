import TestSupport

@testable import NestedRecords

extension DatabaseFault {
    static let pageContents = [
        DatabaseFault(
            "gives whole records", violates: "gives records with some of their fields", saying: "has the fields"
        ) {
            BrokenDatabase(answer: { base, query in
                var query = query
                query.fields = nil
                return try await base.page(query)
            })
        },
        DatabaseFault(
            "tests the filter without the other fields", violates: "gives records with some of their fields",
            saying: "a page is empty"
        ) {
            BrokenDatabase(answer: { base, query in
                var page = try await base.page(query)
                page.records.removeAll { query.fields != nil && (try? query.filter?.matches($0)) == false }
                return page
            })
        },
        DatabaseFault(
            "takes the fields of a record for all", violates: "refuses to save a record with some of its fields",
            saying: "was saved"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                call.saves = call.saves.map {
                    Record(id: $0.id, checkedFields: $0.fields, metadata: $0.metadata)
                }
                return try await call.perform(in: base)
            })
        },
        DatabaseFault(
            "gives pages of any size", violates: "gives pages that are limited in bytes", saying: "instead of 1"
        ) {
            BrokenDatabase(answer: { base, query in
                var query = query
                query.byteLimit = nil
                return try await base.page(query)
            })
        },
        DatabaseFault(
            "counts the bytes of all fields", violates: "gives pages that are limited in bytes",
            saying: "records instead of"
        ) {
            BrokenDatabase(answer: { base, query in
                var whole = query
                whole.fields = nil
                var page = try await base.page(whole)
                page.records = page.records.map { $0.partial(query.fields) }
                return page
            })
        },
    ]
}
