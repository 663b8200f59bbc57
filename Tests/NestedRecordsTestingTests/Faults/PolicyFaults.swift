import NestedRecords
import TestSupport

extension DatabaseFault {
    /// For each cell of the table one database that refuses where it should save, or the other way round.
    static let policies =
        [
            ("inserts a missing record without a tag", SavePolicy.allCases),
            ("inserts a missing record with a tag", [.overwrite]),
            ("replaces an existing record without a tag", [.overwrite]),
            ("replaces a record with the current tag", SavePolicy.allCases),
            ("replaces a record with an outdated tag", [.overwrite]),
        ].flatMap { save, policies in policies.map { refusing($0, instead: save) } }
        + [
            ("refuses as a conflict an existing record without a tag", [SavePolicy.ifUnchanged]),
            ("refuses as a conflict a record with an outdated tag", [.ifUnchanged]),
            ("refuses as unknown a missing record with a tag", [.ifUnchanged]),
        ].flatMap { refusal, policies in policies.map { saving($0, instead: refusal) } }

    private static func refusing(_ policy: SavePolicy, instead save: String) -> DatabaseFault {
        DatabaseFault(
            "refuses where \(policy) \(save)", violates: "with the policy \(policy) \(save)",
            saying: "the database threw an error: record Sample/a"
        ) {
            BrokenDatabase(modify: { base, call in
                // What prepares the situation saves other texts.
                guard call.policy == policy, let record = call.saves.first, record["text"] == .string("new") else {
                    return try await call.perform(in: base)
                }
                throw RecordDatabaseError(.unknownRecord, .versions(client: record))
            })
        }
    }

    private static func saving(_ policy: SavePolicy, instead refusal: String) -> DatabaseFault {
        DatabaseFault(
            "saves where \(policy) \(refusal)", violates: "with the policy \(policy) \(refusal)",
            saying: "the save was not refused"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                if call.policy == policy { call.policy = .overwrite }
                return try await call.perform(in: base)
            })
        }
    }
}

extension DatabaseFault {
    static let conflicts = [
        fault(
            "mixes up the records of a conflict",
            violates: "with the policy ifUnchanged refuses as a conflict a record with an outdated tag"
        ) { RecordDatabaseError(.conflict, .versions(client: $1, server: $0)) },
        fault(
            "mixes up the records of a conflict without a tag",
            violates: "with the policy ifUnchanged refuses as a conflict an existing record without a tag"
        ) { RecordDatabaseError(.conflict, .versions(client: $1, server: $0)) },
        fault(
            "tells a conflict with the record to save alone",
            violates: "with the policy ifUnchanged refuses as a conflict a record with an outdated tag"
        ) { client, _ in RecordDatabaseError(.conflict, .versions(client: client, server: client)) },
        fault(
            "hides its record in a conflict",
            violates: "with the policy ifUnchanged refuses as a conflict a record with an outdated tag"
        ) { RecordDatabaseError(.conflict, .versions(client: $0, server: try Record(id: $1.id))) },
        DatabaseFault(
            "hides its tag in a conflict", violates: "takes a record that was merged into the one of a conflict",
            saying: "the database threw an error: record Sample/a already exists"
        ) {
            changingConflicts {
                RecordDatabaseError(.conflict, .versions(client: $0, server: try Record(id: $1.id, fields: $1.fields)))
            }
        },
        DatabaseFault(
            "tells a conflict with an error of its own",
            violates: "with the policy ifUnchanged refuses as a conflict a record with an outdated tag",
            saying: "the save threw an error of another type: Malfunction()"
        ) { changingConflicts { _, _ in Malfunction() } },
        DatabaseFault(
            "saves in spite of a conflict",
            violates: "with the policy ifUnchanged refuses as a conflict a record with an outdated tag",
            saying: "came back with other metadata"
        ) {
            BrokenDatabase(modify: { base, call in
                do {
                    return try await call.perform(in: base)
                } catch {
                    try await ModifyCall(saves: call.saves, deletes: [], policy: .overwrite).perform(in: base)
                    throw error
                }
            })
        },
    ]

    private static func fault(
        _ description: String, violates requirement: String,
        _ change: @escaping @Sendable (Record, Record) throws -> any Error
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: "the error carries another record than") {
            changingConflicts(change)
        }
    }

    private static func changingConflicts(
        _ change: @escaping @Sendable (Record, Record) throws -> any Error
    ) -> BrokenDatabase {
        BrokenDatabase(modify: { base, call in
            do {
                return try await call.perform(in: base)
            } catch let error as RecordDatabaseError where error.code == .conflict {
                guard let client = error.clientRecord, let server = error.serverRecord else { throw error }
                throw try change(client, server)
            }
        })
    }
}
