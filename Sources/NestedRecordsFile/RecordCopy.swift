import NestedRecords

/// The records of one moment, copied to another place, with their index behind them.
struct RecordCopy {
    /// The most bytes that are not on the disk yet.
    ///
    /// A save that is synced meanwhile waits for them too, in file systems that write everything in order.
    private static let longestUnsynced = 4 << 20

    /// What an opening finds in the index.
    let saved: SavedIndex
    let indexOffset: Int

    /// Copies records, in the order of their file, and saves their index.
    ///
    /// - Parameters:
    ///   - source: The records.
    ///   - sequence: The number of the next entry.
    ///   - file: Where to copy them to.
    ///   - seed: That of the copies.
    ///   - start: Where their batches begin in the file.
    ///   - checkGoesOn: Throws if the copy is not wanted any more.
    init(
        of source: CompactedFile.Source, sequence: UInt64, to file: StorageFile, seed: UInt64, at start: Int,
        checkGoesOn: () throws -> Void
    ) throws {
        var copy = EntryCopy(from: source, to: file, seed: seed, at: start)
        var syncedEnd = start
        try copy.copyAll { end in
            if end - syncedEnd >= Self.longestUnsynced {
                try file.sync()
                syncedEnd = end
            }
            try checkGoesOn()
        }
        let kept = Self.history(of: source, forgottenPosition: copy.forgottenPosition, sequence: sequence)
        indexOffset = try copy.end + kept.write(to: file, seed: seed, at: copy.end)
        let size = try SavedIndex.write(
            copy.index, copy.types, liveBytes: copy.liveBytes, sequence: sequence, durableEnd: indexOffset, to: file,
            at: indexOffset)
        saved = SavedIndex(
            index: copy.index, types: copy.types, liveBytes: copy.liveBytes, sequence: sequence,
            end: indexOffset + size)
        if saved.end - syncedEnd >= Self.longestUnsynced { try file.sync() }
    }

    /// What is kept of the history besides the entries.
    private static func history(
        of source: CompactedFile.Source, forgottenPosition: UInt64, sequence: UInt64
    ) -> FileHistory.Kept {
        guard let history = source.history else {
            // No change up to now has a greater position.
            return FileHistory.Kept(store: source.types.seed, purgedPosition: sequence)
        }
        return FileHistory.Kept(
            store: history.store, purgedPosition: max(history.purgedPosition, forgottenPosition),
            openings: history.openings)
    }

    /// The most bytes that a copy of these records takes with its history and its index.
    static func longestSize(of source: CompactedFile.Source, _ view: LogStore.View) -> Int {
        let entries = view.liveBytes + source.historySize
        let blockCount = entries / EntryCopy.blockSize + 1
        return entries + blockCount * BlockHeader.size + SavedIndex.longestSize(of: view.index, view.types)
    }

    /// Shows readers the copy.
    func apply(to view: inout LogStore.View) {
        (view.index, view.types, view.liveBytes, view.end) = (saved.index, saved.types, saved.liveBytes, saved.end)
    }
}
