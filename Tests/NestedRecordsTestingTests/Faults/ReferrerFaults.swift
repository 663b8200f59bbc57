@_spi(Engines) import NestedRecords
import TestSupport

extension DatabaseFault {
    static let referrers = [
        DatabaseFault(
            "says that it does not check referrers, and does not look",
            violates: "applies a condition about referrers, or refuses it as unsupported and writes nothing",
            saying: "the batch was not refused"
        ) {
            var database = ignoringReferrers
            database.capabilities.remove(.referrerConditions)
            return database
        },
        DatabaseFault(
            "ignores conditions about referrers",
            violates: "applies nothing of a batch while another record refers to one to which none may",
            saying: "a deletion, with a reference, was not refused"
        ) { ignoringReferrers },
        DatabaseFault(
            "does not count links as references",
            violates: "applies nothing of a batch while another record refers to one to which none may",
            saying: "a deletion, with a link, was not refused"
        ) {
            checkingReferrers { base, call in
                try await holders(in: base, of: call) { !$0.isLink }
            }
        },
        DatabaseFault(
            "looks for referrers as they were before the batch",
            violates: "takes the references that a batch leaves, and not those before it", saying: "cannot be deleted"
        ) {
            checkingReferrers { base, call in
                try await holders(in: base, of: call) { _ in true }
            }
        },
        DatabaseFault(
            "looks for referrers of missing records",
            violates: "takes a condition about the referrers of a missing record as met", saying: "cannot be deleted"
        ) {
            checkingReferrers { base, call in
                try await holders(in: base, of: call) { _ in true }.filter { !call.deletes.contains($0.id) }
            }
        },
        DatabaseFault(
            "looks for referrers first, and deletes then",
            violates: "applies one of a deletion and a new reference that are committed at the same time",
            saying: "a record was deleted after a record that refers to it"
        ) {
            BrokenDatabase(modify: { base, call in
                var (check, rest) = (RecordBatch(), call)
                check.allowedReferrers = call.allowedReferrers
                if !check.isEmpty {
                    try await base.commit(check)
                    try await Task.sleep(for: .milliseconds(20))
                }
                rest.allowedReferrers = [:]
                return try await rest.perform(in: base)
            })
        },
    ]

    private static var ignoringReferrers: BrokenDatabase { checkingReferrers { _, _ in [] } }

    /// A database that refuses a batch only because of the records that the closure finds.
    private static func checkingReferrers(
        _ find: @escaping @Sendable (InMemoryRecordDatabase, ModifyCall) async throws -> [Record]
    ) -> BrokenDatabase {
        BrokenDatabase(modify: { base, call in
            let holders = try await find(base, call)
            if !holders.isEmpty {
                var check = RecordBatch()
                check.allowedReferrers = call.allowedReferrers
                // The records as they are found, also if their targets are missing.
                try check.checkReferrers(among: holders) { try Record(id: $0, fields: [:]) }
            }
            var rest = call
            rest.allowedReferrers = [:]
            return try await rest.perform(in: base)
        })
    }

    private static func holders(
        in base: InMemoryRecordDatabase, of call: ModifyCall, where counts: (Record.Reference) -> Bool
    ) async throws -> [Record] {
        let found = try await base.referrers(of: Array(call.allowedReferrers.keys))
        return try await base.records(
            for: Array(Set(found.values.joined().filter { counts($0.reference) }.map(\.record))))
    }
}
