import NestedRecords

/// Records in an actor: to ask it may change the thread.
actor ActorDatabase: RecordDatabase {
    private let records: [Record.ID: Record]

    init(_ records: [Record.ID: Record]) { self.records = records }

    func records(for ids: [Record.ID]) -> [Record.ID: Record] {
        var found: [Record.ID: Record] = [:]
        found.reserveCapacity(ids.count)
        for id in ids { found[id] = records[id] }
        return found
    }

    nonisolated func records(ofType: String?) -> RecordSequence { RecordSequence([]) }

    nonisolated func modifyRecords(
        saving: [Record], deleting: [Record.ID], savePolicy: SavePolicy
    ) throws -> [Record.ID: Record.Metadata] {
        throw ReadOnly()
    }
}

/// A database of the measurements does not save.
struct ReadOnly: Error {}
