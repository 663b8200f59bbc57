import NestedRecords

struct LogWriter: Sendable {
    var state: LogState

    /// The number of the next entry; the change tag of a saved record is made of it.
    var sequence: UInt64

    /// The offset up to which an opening uses the saved index.
    var indexedEnd: Int

    /// Whether the file says that saves do not wait for the disk.
    var hasAnnouncedRelaxed = false

    /// The size that the file must reach for another compaction after a failed one.
    var nextCompaction = 0
    var compactionFailure: (any Error)?
    var tail: Tail
    var failure: (any Error)?

    init(state: LogState, sequence: UInt64, indexedEnd: Int, tail: Tail) {
        (self.state, self.sequence, self.indexedEnd, self.tail) = (state, sequence, indexedEnd, tail)
    }

    mutating func goOn(with state: LogState, indexedEnd: Int) {
        (self.state, self.indexedEnd) = (state, indexedEnd)
        (hasAnnouncedRelaxed, nextCompaction, compactionFailure) = (false, 0, nil)
    }
}

extension LogWriter {
    mutating func cutTail(off storage: StorageFile, of file: OpenFile) throws {
        guard tail.isUncut else { return }
        try tail.cutRest(off: storage)
        file.view.withLock { [tail] in $0.recoveredPath = tail.path }
    }
}

struct WaitingBatch: Sendable {
    let records: [Record]
    let ids: [Record.ID]
    let savePolicy: SavePolicy

    /// The versions that deleted or merely checked records must have.
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
