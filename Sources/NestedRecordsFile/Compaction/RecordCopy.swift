import NestedRecords

struct RecordCopy {
    /// The maximum number of bytes that are not on the disk yet.
    ///
    /// A concurrent sync of a save waits for them too, in file systems that write everything in order.
    private static let longestUnsynced = 4 << 20

    /// The index as an opening reads it.
    let saved: SavedIndex
    let indexOffset: Int

    /// Copies records, in the order of their file, and saves their index.
    init(
        of source: CompactionSource, sequence: UInt64, to file: StorageFile, seed: UInt64, at start: Int,
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
        indexOffset = try copy.end + source.history.write(to: file, seed: seed, at: copy.end)
        // With the headers and the history: no compaction reclaims them.
        let liveBytes = indexOffset - start
        let size = try SavedIndex.write(
            copy.index, copy.types, liveBytes: liveBytes, sequence: sequence, durableEnd: indexOffset, to: file,
            at: indexOffset)
        saved = SavedIndex(
            index: copy.index, types: copy.types, liveBytes: liveBytes, sequence: sequence, end: indexOffset + size)
        if saved.end - syncedEnd >= Self.longestUnsynced { try file.sync() }
    }
}
