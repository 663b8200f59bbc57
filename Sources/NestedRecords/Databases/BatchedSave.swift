/// Records to save and to delete: in one batch, or in several where there are more than a database takes at a time.
struct BatchedSave: Sendable {
    /// The records to save, targets before the records that point to them.
    private(set) var records: [Record]

    /// The records to delete once the others are saved, those that point before their targets.
    let deletions: [Record.ID]

    let savePolicy: SavePolicy

    /// The new metadata of the records that were saved.
    private(set) var saved: [Record.ID: Record.Metadata] = [:]

    /// The positions of the records by their IDs, computed on first use.
    private var positions: [Record.ID: Int] = [:]

    /// How many records and deletions the batches that went through had.
    private var done = 0

    init(records: [Record], deletions: [Record.ID] = [], savePolicy: SavePolicy) {
        self.records = records
        self.deletions = deletions
        self.savePolicy = savePolicy
    }

    /// Sends what has not been sent yet.
    ///
    /// - Throws: What the database throws: as it is while nothing is saved, else within
    ///   ``RecordDatabaseError/partiallySaved(_:underlyingError:)``.
    mutating func send(to database: some RecordDatabase) async throws {
        do {
            try await sendBatches(to: database)
        } catch {
            throw placed(error)
        }
    }

    /// Sends what has not been sent yet, and throws what the database throws.
    mutating func sendBatches(to database: some RecordDatabase) async throws {
        let count = records.count + deletions.count
        while done < count {
            let end = done + max(1, min(database.batchLimit, count - done))
            let saving = Array(records[min(done, records.count)..<min(end, records.count)])
            let deleting = Array(deletions[max(0, done - records.count)..<max(0, end - records.count)])
            let metadata = try await database.modifyRecords(
                saving: saving, deleting: deleting, savePolicy: savePolicy)
            saved.merge(metadata) { $1 }
            done = end
        }
    }

    /// The records that were saved, as the database holds them.
    var savedRecords: [Record] {
        records.compactMap { record in saved[record.id].map { record.saved(as: $0) } }
    }

    /// Whether there is nothing to save or to delete.
    var isEmpty: Bool { records.isEmpty && deletions.isEmpty }

    /// The error, with what is saved already.
    func placed(_ error: any Error) -> any Error {
        done == 0 ? error : RecordDatabaseError.partiallySaved(saved, underlyingError: error)
    }
}

extension BatchedSave {
    /// The records that are not saved yet.
    var unsaved: ArraySlice<Record> { records.dropFirst(done) }

    /// The position of a record that is not saved yet.
    mutating func position(ofUnsaved id: Record.ID) -> Int? {
        if positions.isEmpty {
            positions = Dictionary(zip(records.map(\.id), records.indices), uniquingKeysWith: { first, _ in first })
        }
        return positions[id].flatMap { $0 >= done ? $0 : nil }
    }

    /// Sends another record instead of the one at a position.
    mutating func replace(at position: Int, with record: Record) { records[position] = record }

    /// Does not send the records of which the closure says so, unless they are saved already.
    mutating func leaveOut(where isLeftOut: (Record.ID) -> Bool) {
        records = records[..<min(done, records.count)] + unsaved.filter { !isLeftOut($0.id) }
        positions = [:]
    }
}
