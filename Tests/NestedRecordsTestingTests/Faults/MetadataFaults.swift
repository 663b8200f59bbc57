import Foundation
import NestedRecords
import TestSupport

extension DatabaseFault {
    static let metadata = [
        DatabaseFault(
            "makes tags of contents", violates: "gives a new tag with every save", saying: "was given twice"
        ) { .showing { $0.changeTag = "\($1.fields)" } },
        DatabaseFault(
            "makes tags of contents and forgets deleted ones",
            violates: "gives a new tag to a record that was deleted and saved again",
            saying: "both versions have one tag"
        ) { .showing { $0.changeTag = "\($1.fields)" } },
        DatabaseFault(
            "deletes what it replaces", violates: "keeps the creation date", saying: "the record was created twice"
        ) {
            BrokenDatabase(modify: { base, call in
                let ids = call.saves.map(\.id)
                try await ModifyCall(saves: [], deletes: ids, policy: .overwrite).perform(in: base)
                return try await ModifyCall(saves: call.saves, deletes: [], policy: .overwrite).perform(in: base)
            })
        },
        DatabaseFault(
            "counts time backwards", violates: "never sets the modification date back",
            saying: "the record was modified before it was created"
        ) {
            .showing { metadata, _ in
                metadata.modificationDate = metadata.creationDate.addingTimeInterval(-1)
            }
        },
        DatabaseFault(
            "sets the clock back", violates: "never sets the modification date back",
            saying: "a later save has an earlier date"
        ) {
            .showing { metadata, _ in
                let age = metadata.modificationDate.timeIntervalSince(metadata.creationDate)
                metadata.modificationDate = metadata.creationDate.addingTimeInterval(1 / (1 + age))
            }
        },
        DatabaseFault(
            "believes the tag of a record to save",
            violates: "sets metadata of its own whatever the record to save claims",
            saying: "the tag was taken from the record to save"
        ) { claims { $0.changeTag = $1.changeTag } },
        DatabaseFault(
            "believes the creation date of a record to save",
            violates: "sets metadata of its own whatever the record to save claims",
            saying: "the creation date was taken from the record to save"
        ) { claims { $0.creationDate = $1.creationDate } },
        DatabaseFault(
            "believes the modification date of a record to save",
            violates: "sets metadata of its own whatever the record to save claims",
            saying: "the modification date was taken from the record to save"
        ) { claims { $0.modificationDate = $1.modificationDate } },
        DatabaseFault(
            "keeps server timestamps as null", violates: "fills in server timestamps with the modification date",
            saying: "came back with"
        ) { .distorting(values: { $0 == .serverTimestamp ? .null : $0 }) },
        DatabaseFault(
            "fills in server timestamps at the top alone",
            violates: "fills in server timestamps with the modification date", saying: "came back with"
        ) {
            .distorting(values: { value in
                guard case .list(let elements) = value else { return value }
                return .list(elements.map { $0 == .serverTimestamp ? .null : $0 })
            })
        },
        DatabaseFault(
            "fills in server timestamps with another date",
            violates: "fills in server timestamps with the modification date", saying: "came back with"
        ) { .distorting(values: { $0 == .serverTimestamp ? .date(.distantPast) : $0 }) },
    ]

    private static func claims(
        _ believe: @escaping @Sendable (inout Record.Metadata, Record.Metadata) -> Void
    ) -> BrokenDatabase {
        .showing { metadata, record in
            if let claimed = record.metadata { believe(&metadata, claimed) }
        }
    }
}
