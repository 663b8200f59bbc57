import NestedRecords

/// Records in an actor: a call may change the thread.
actor ActorDatabase: RecordDatabase {
    private let records: [Record.ID: Record]

    init(_ records: [Record.ID: Record]) { self.records = records }

    func records(for ids: [Record.ID]) -> [Record] { ids.compactMap { records[$0] } }

    nonisolated func storedRecords(ofType: String?) -> RecordSequence { RecordSequence([]) }

    nonisolated func commit(_ batch: RecordBatch) throws -> [Record.ID: Record.Metadata] {
        throw ReadOnly()
    }
}

/// The measurements do not save to this database.
struct ReadOnly: Error {}
