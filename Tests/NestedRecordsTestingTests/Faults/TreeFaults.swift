import TestSupport

@testable import NestedRecords

extension DatabaseFault {
    static let trees = [
        DatabaseFault(
            "distinguishes links from references", violates: "finds the descendants and ancestors of records",
            saying: "the descendants are"
        ) {
            BrokenDatabase(answer: { base, query in
                var whole = query
                whole.fields = nil
                var page = try await base.page(whole)
                page.records.removeAll {
                    if case .reference(let reference)? = $0["up"] { reference.isLink } else { false }
                }
                page.records = page.records.map { $0.partial(query.fields) }
                return page
            })
        },
        DatabaseFault(
            "leaves out a record", violates: "finds each record of a cycle once", saying: "in a cycle are"
        ) {
            BrokenDatabase(answer: { base, query in
                var page = try await base.page(query)
                page.records.removeAll { $0.id.name == "2" }
                return page
            })
        },
    ]
}
