import NestedRecords
import TestSupport

extension DatabaseFault {
    static let deletion = [
        DatabaseFault("deletes nothing", violates: "has no record that was deleted", saying: "there is a record") {
            BrokenDatabase(modify: { base, call in
                try await ModifyCall(saves: call.saves, deletes: [], policy: call.policy).perform(in: base)
            })
        },
        deletingAlso("all types", violates: "deletes the named records and no others") {
            $0.id.name == $1.name
        },
        deletingAlso("names that begin alike", violates: "deletes the named records and no others") {
            $0.id.type == $1.type && $0.id.name.hasPrefix($1.name)
        },
        DatabaseFault(
            "misses what is deleted already", violates: "ignores deletions of missing records",
            saying: "Malfunction"
        ) {
            BrokenDatabase(modify: { base, call in
                let found = try await base.records(for: call.deletes)
                if found.count < call.deletes.count { throw Malfunction() }
                return try await call.perform(in: base)
            })
        },
        deletingAlso("records that refer to it", violates: "keeps the records that refer to a deleted one") {
            $0.references.map(\.id).contains($1)
        },
    ]

    private static func deletingAlso(
        _ victims: String, violates requirement: String,
        _ isVictim: @escaping @Sendable (Record, Record.ID) -> Bool
    ) -> DatabaseFault {
        DatabaseFault("deletes also \(victims)", violates: requirement, saying: "there is no record") {
            BrokenDatabase(modify: { base, call in
                var deletes = Set(call.deletes)
                for try await record in base.records(ofType: nil)
                where call.deletes.contains(where: { isVictim(record, $0) }) {
                    deletes.insert(record.id)
                }
                return try await ModifyCall(saves: call.saves, deletes: Array(deletes), policy: call.policy)
                    .perform(in: base)
            })
        }
    }
}
