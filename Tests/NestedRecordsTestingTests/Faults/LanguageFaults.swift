import NestedRecords
import TestSupport

extension DatabaseFault {
    static let languages = [
        DatabaseFault(
            "compares letters in lower case", violates: "finds text without regard to case and accents",
            saying: "instead of"
        ) {
            BrokenDatabase(answer: { base, query in
                var page = try await base.page(query)
                guard query.filter?.description.utf8.firstRange(of: "strasse".utf8) != nil else { return page }
                page.records.removeAll { $0["text"] == "Straße" }
                return page
            })
        },
        DatabaseFault(
            "orders strings by their bytes", violates: "orders strings by the rules of a language, page by page",
            saying: "instead of"
        ) {
            BrokenDatabase(answer: { base, query in
                var query = query
                for position in query.order.indices { query.order[position].collation = nil }
                return try await base.page(query)
            })
        },
    ]
}
