import NestedRecords
import TestSupport

extension DatabaseFault {
    static let batches = [
        DatabaseFault(
            "saves what it can of a batch", violates: "saves and deletes nothing of a batch with a conflict first",
            saying: "there is a record Sample/new"
        ) {
            BrokenDatabase(modify: { base, call in
                var answer: [Record.ID: Record.Metadata] = [:]
                var failure: (any Error)?
                for record in call.saves {
                    do {
                        try await answer.merge(saveAlone(record, call.policy, in: base)) { $1 }
                    } catch {
                        failure = error
                    }
                }
                if let failure { throw failure }
                return answer
            })
        },
        oneAfterTheOther("in the middle"), oneAfterTheOther("last"),
        DatabaseFault(
            "deletes before it checks", violates: "saves and deletes nothing of a batch with a conflict last",
            saying: "there is no record Sample/kept"
        ) {
            BrokenDatabase(modify: { base, call in
                try await ModifyCall(saves: [], deletes: call.deletes, policy: .overwrite).perform(in: base)
                return try await ModifyCall(saves: call.saves, deletes: [], policy: call.policy).perform(in: base)
            })
        },
        deletingFirst("an unknown record", violates: "saves and deletes nothing of a batch with an unknown record"),
        deletingFirst(
            "a record that is named twice",
            violates: "saves and deletes nothing of a batch that names a record twice"),
        DatabaseFault(
            "gives up a batch for a record that is deleted already",
            violates: "saves the records of a batch that deletes a missing record",
            saying: "there is no record Sample/ifUnchanged"
        ) {
            BrokenDatabase(modify: { base, call in
                let found = try await base.records(for: call.deletes)
                return found.count < call.deletes.count ? [:] : try await call.perform(in: base)
            })
        },
        DatabaseFault(
            "either saves or deletes", violates: "saves and deletes everything of a good batch",
            saying: "there is a record Sample/kept"
        ) {
            BrokenDatabase(modify: { base, call in
                let deletes = call.saves.isEmpty ? call.deletes : []
                return try await ModifyCall(saves: call.saves, deletes: deletes, policy: call.policy).perform(in: base)
            })
        },
        DatabaseFault(
            "has nothing to do and fails", violates: "does nothing with an empty batch", saying: "Malfunction"
        ) {
            BrokenDatabase(modify: { base, call in
                if call.saves.isEmpty, call.deletes.isEmpty { throw Malfunction() }
                return try await call.perform(in: base)
            })
        },
        withoutDuplicates("saves the last of two", violates: "refuses a batch that saves a record twice") { call in
            call.saves = Array(Dictionary(call.saves.map { ($0.id, $0) }) { $1 }.values)
        },
        withoutDuplicates("saves before it deletes", violates: "refuses a batch that saves and deletes a record") {
            call in
            call.saves.removeAll { call.deletes.contains($0.id) }
        },
        withoutDuplicates("deletes what is left to delete", violates: "refuses a batch that deletes a record twice") {
            call in
            call.deletes = Array(Set(call.deletes))
        },
        DatabaseFault(
            "drops fields without a name", violates: "refuses a field without a name",
            saying: "the record was not refused"
        ) { .distorting { $0[""] = nil } },
    ]

    private static func deletingFirst(_ reason: String, violates requirement: String) -> DatabaseFault {
        DatabaseFault(
            "deletes before it refuses \(reason)", violates: requirement, saying: "there is no record Sample/kept"
        ) {
            BrokenDatabase(modify: { base, call in
                try await ModifyCall(saves: [], deletes: Array(Set(call.deletes)), policy: .overwrite)
                    .perform(in: base)
                return try await call.perform(in: base)
            })
        }
    }

    private static func oneAfterTheOther(_ place: String) -> DatabaseFault {
        DatabaseFault(
            "saves one after the other, with a conflict \(place)",
            violates: "saves and deletes nothing of a batch with a conflict \(place)",
            saying: "there is a record Sample/new"
        ) {
            BrokenDatabase(modify: { base, call in
                var answer: [Record.ID: Record.Metadata] = [:]
                for record in call.saves { try await answer.merge(saveAlone(record, call.policy, in: base)) { $1 } }
                try await ModifyCall(saves: [], deletes: call.deletes, policy: .overwrite).perform(in: base)
                return answer
            })
        }
    }

    private static func saveAlone(
        _ record: Record, _ policy: SavePolicy, in base: InMemoryRecordDatabase
    ) async throws -> [Record.ID: Record.Metadata] {
        try await ModifyCall(saves: [record], deletes: [], policy: policy).perform(in: base)
    }

    private static func withoutDuplicates(
        _ description: String, violates requirement: String, _ change: @escaping @Sendable (inout ModifyCall) -> Void
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: "the batch was not refused") {
            BrokenDatabase(modify: { base, call in
                var call = call
                change(&call)
                return try await call.perform(in: base)
            })
        }
    }
}
