@_spi(Engines) import NestedRecords

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

    /// Whether this process has locked the file.
    var hasLock: Bool

    /// Whether the batches of the file were read, so that it may be written.
    var isPrepared: Bool
}

extension LogWriter {
    /// The writer of a file that was not read.
    init(hasLock: Bool) {
        self.init(
            state: LogState(), sequence: 0, indexedEnd: 0, tail: Tail(nil), hasLock: hasLock, isPrepared: false)
    }

    mutating func cutTail(off storage: StorageFile, of file: OpenFile) throws {
        guard tail.uncut != nil else { return }
        try tail.cut(off: storage)
        file.view.withLock { [tail] in $0.recoveredPath = tail.path }
    }
}
