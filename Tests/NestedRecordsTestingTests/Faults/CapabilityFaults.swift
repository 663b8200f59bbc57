@_spi(Engines) import NestedRecords
import TestSupport

extension DatabaseFault {
    static let capabilities =
        [
            (RecordCapabilities.atomicBatches, "a batch of two records"),
            (.conditions, "a condition on a record"), (.missingConditions, "a condition on a missing record"),
            (.versionedDeletions, "a deletion of a version"),
        ].map { capability, what in
            DatabaseFault(
                "applies \(what) although it says that it cannot",
                violates: "applies \(what), or refuses it as unsupported and writes nothing",
                saying: "the batch was not refused"
            ) {
                var database = BrokenDatabase()
                database.capabilities.remove(capability)
                return database
            }
        } + [
            DatabaseFault(
                "ignores the identifier of a batch",
                violates: "applies a batch with an identifier, or refuses it as unsupported and writes nothing",
                saying: "the batch was not refused"
            ) {
                BrokenDatabase(modify: { base, call in
                    var call = call
                    call.id = nil
                    return try await call.perform(in: base)
                })
            },
            DatabaseFault(
                "says of each batch that it was not applied",
                violates: "says what became of a batch, and voids one that was not applied",
                saying: "the outcome of an applied batch"
            ) {
                var database = BrokenDatabase()
                database.capabilities.insert(.outcomes)
                database.findOutcome = { _, _ in nil }
                return database
            },
        ]
}
