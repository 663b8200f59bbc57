import NestedRecords

/// The state of a record file that only its writer has.
struct LogWriter: Sendable {
    var state: LogState

    /// The number of the next entry; the change tag of a saved record is made of it.
    var sequence: UInt64

    /// How much of the file an opening gets from the saved index.
    var indexedEnd: Int

    /// Whether the file tells that saves do not wait for the disk.
    var hasAnnouncedRelaxed = false

    /// How large the file has to be for another compaction after one that failed.
    var nextCompaction = 0
    var compactionFailure: (any Error)?
    var tail: Tail
    var failure: (any Error)?

    init(state: LogState, sequence: UInt64, indexedEnd: Int, tail: Tail) {
        (self.state, self.sequence, self.indexedEnd, self.tail) = (state, sequence, indexedEnd, tail)
    }

    /// Goes on with a compacted file.
    mutating func goOn(with state: LogState, indexedEnd: Int) {
        (self.state, self.indexedEnd) = (state, indexedEnd)
        (hasAnnouncedRelaxed, nextCompaction, compactionFailure) = (false, 0, nil)
    }
}

extension LogWriter {
    /// Keeps what could not be kept yet of what is behind the last whole batch, and cuts it off.
    mutating func cutTail(off storage: StorageFile, of file: OpenFile) throws {
        guard tail.isUncut else { return }
        try tail.cutRest(off: storage)
        file.view.withLock { [tail] in $0.recoveredPath = tail.path }
    }
}

/// A batch whose caller waits for the result.
struct WaitingBatch: Sendable {
    let records: [Record]
    let ids: [Record.ID]
    let savePolicy: SavePolicy

    /// The versions that records must have which are deleted, or only looked at.
    let versions: [(id: Record.ID, version: RecordBatch.Version)]
    let answer: @Sendable (Result<[Record.ID: Record.Metadata], any Error>) -> Void

    init(
        _ batch: RecordBatch, answer: @escaping @Sendable (Result<[Record.ID: Record.Metadata], any Error>) -> Void
    ) {
        records = batch.saves
        ids = batch.deletions.map(\.id)
        savePolicy = batch.savePolicy
        versions =
            batch.deletions.lazy.map { ($0.id, $0.version) }.filter { $0.1 != .any }
            + batch.conditions.map { ($0.id, $0.version) }
        self.answer = answer
    }
}
