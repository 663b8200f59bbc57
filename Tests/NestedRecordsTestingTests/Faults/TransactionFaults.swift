import NestedRecords
import TestSupport

extension DatabaseFault {
    static let transactions = [
        DatabaseFault(
            "saves one record of two", violates: "keeps the sum of 100 accounts in the transfers of 64 tasks",
            saying: "the sum of all accounts was 10000 and is"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                if call.saves.count == 2 { call.saves.removeLast() }
                return try await call.perform(in: base)
            })
        },
        DatabaseFault(
            "ignores what was only read",
            violates: "refuses a transaction if another has changed what it read",
            saying: "both transactions have withdrawn the last unit"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                call.conditions = []
                return try await call.perform(in: base)
            })
        },
    ]
}
