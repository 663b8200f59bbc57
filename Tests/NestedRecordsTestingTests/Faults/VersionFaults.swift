import NestedRecords
import TestSupport

extension DatabaseFault {
    static let versions =
        mismatches.map { situation in
            DatabaseFault(
                "deletes in whatever version", violates: "refuses the deletion of \(situation)",
                saying: "the batch was not refused"
            ) { changing { $0.versions = [:] } }
        }
        + mismatchedConditions.map { situation in
            DatabaseFault(
                "ignores conditions", violates: "refuses a batch with a condition \(situation)",
                saying: "the batch was not refused"
            ) { changing { $0.conditions = [] } }
        } + [
            DatabaseFault(
                "ignores deletions with versions", violates: "applies the deletion of the current version",
                saying: "there is a record Sample/a"
            ) { changing { call in call.deletes.removeAll { call.versions[$0] != nil } } },
            DatabaseFault(
                "takes a missing version for any",
                violates: "applies the deletion of a record that must not exist and does not",
                saying: "is requested at version"
            ) { changing { $0.versions = $0.versions.mapValues { $0 == .missing ? .changeTag("?") : $0 } } },
            DatabaseFault(
                "deletes what it looks at", violates: "applies a batch with a condition for the current version",
                saying: "there is no record Sample/a"
            ) {
                changing { call in
                    for condition in call.conditions { call.versions[condition.id] = condition.version }
                    call.deletes += call.conditions.map(\.id)
                    call.conditions = []
                }
            },
            DatabaseFault(
                "refuses what is not there",
                violates: "applies a batch with a condition that a missing record is missing",
                saying: "Malfunction"
            ) {
                BrokenDatabase(modify: { base, call in
                    for condition in call.conditions where try await base.record(for: condition.id) == nil {
                        throw Malfunction()
                    }
                    return try await call.perform(in: base)
                })
            },
            DatabaseFault(
                "has conditions for what it saves",
                violates: "refuses a batch that saves a record and has a condition for it",
                saying: "the batch was not refused"
            ) {
                changing { call in
                    call.conditions.removeAll { condition in call.saves.contains { $0.id == condition.id } }
                }
            },
        ]

    private static let mismatches = [
        "an outdated version", "a version of a missing record",
        "a record that must not exist and does",
    ]

    private static let mismatchedConditions = [
        "for an outdated version", "for a version of a missing record",
        "that an existing record is missing",
    ]

    private static func changing(_ change: @escaping @Sendable (inout ModifyCall) -> Void) -> BrokenDatabase {
        BrokenDatabase(modify: { base, call in
            var call = call
            change(&call)
            return try await call.perform(in: base)
        })
    }
}
