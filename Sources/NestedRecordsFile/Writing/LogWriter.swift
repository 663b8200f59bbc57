import NestedRecords

/// The state of a record file that only its writer has.
struct LogWriter {
    /// The state that was written last.
    var state: LogState

    /// The number of the next entry; the change tag of a saved record is made of it.
    var sequence: UInt64

    /// How much of the file an opening gets from the saved index.
    var indexedEnd: Int

    /// The size of that index, which no compaction gives back.
    var indexSize: Int

    /// Whether the file tells that saves do not wait for the disk.
    var hasAnnouncedRelaxed = false

    /// How large the file has to be for another compaction after one that failed.
    var nextCompaction = 0

    /// Why the last compaction did not take place, if so.
    var compactionFailure: (any Error)?

    /// Of a file that is only read: what behind the last batch was searched for a proof that it is damage.
    var searchedTail = (start: 0, end: 0)

    /// Why nothing can be written any more, if so.
    var failure: (any Error)?

    init(state: LogState, sequence: UInt64, indexedEnd: Int, indexSize: Int) {
        self.indexSize = indexSize
        self.state = state
        self.sequence = sequence
        self.indexedEnd = indexedEnd
    }

    /// Goes on with a compacted file.
    ///
    /// - Parameters:
    ///   - state: What is written in it.
    ///   - indexedEnd: Behind its index.
    mutating func goOn(with state: LogState, indexedEnd: Int) {
        self.state = state
        self.indexedEnd = indexedEnd
        indexSize = indexedEnd - Int(clamping: state.indexOffset)
        hasAnnouncedRelaxed = false
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

struct WaitingBatches: Sendable {
    var batches: [WaitingBatch] = []
    var isBeingWritten = false
}
