@_spi(Engines) import NestedRecords

/// The file that a compaction makes: the records of one moment, followed by the batches that were saved since.
///
/// Its content always equals that of the old file up to ``copiedEnd``. It is built in two steps:
///
/// 1. The entries of all records at one moment are copied, in the order of the old file, and their index is saved after
///    them. Entries do not change, and neither do the bytes of the old file before its end at that moment.
/// 2. The batches after that end are copied as they are, with their deletions, and read as an opening would read them.
///    A
///    later version replaces the copied one, and a deletion removes it, whatever was copied.
struct CompactedFile {
    let file: StorageFile
    private let header: FileHeader
    private let old: StorageFile
    private let oldSeed: UInt64
    private(set) var copiedEnd: Int
    private var contents: LogReplay
    private let indexOffset: Int
    let indexedEnd: Int

    init(of source: CompactionSource, sequence: UInt64, to file: StorageFile, checkGoesOn: () throws -> Void) throws {
        (self.file, old, oldSeed, copiedEnd) = (file, source.file, source.types.seed, source.blocks.upperBound)
        // The seed is new, so that remains of an earlier file on the disk are never read as parts of this file.
        header = FileHeader(seed: .random(in: .min ... .max), origin: oldSeed)
        try FileHead.write(header, states: [LogState(), LogState()], to: file)
        let start = FileHeader.batchesStart
        var syncedEnd = start
        var copy = EntryCopy(from: source, to: file, seed: header.seed, at: start)
        try copy.copyAll { end in
            if end - syncedEnd >= Self.longestUnsynced {
                try file.sync()
                syncedEnd = end
            }
            try checkGoesOn()
        }
        var end = try copy.end + source.history.write(to: file, seed: header.seed, at: copy.end)
        if let audiences = source.audiences { end += try audiences.write(to: file, seed: header.seed, at: end) }
        indexOffset = end
        // With the headers and the history: no compaction reclaims them.
        let liveBytes = indexOffset - start
        indexedEnd = try SavedIndex.write(
            copy.index, copy.types, liveBytes: liveBytes, sequence: sequence, durableEnd: indexOffset, to: file,
            at: indexOffset)
        if indexedEnd - syncedEnd >= Self.longestUnsynced { try file.sync() }
        // Only the contents hold the index: otherwise a change of it would copy it.
        contents = LogReplay(
            file: file, head: try FileHead(of: file),
            after: SavedIndex(
                index: copy.index, types: copy.types, liveBytes: liveBytes, sequence: sequence, end: indexedEnd))
    }

    /// The maximum number of bytes that are not on the disk yet.
    ///
    /// A concurrent sync of a save waits for them too, in file systems that write everything in order.
    private static let longestUnsynced = 4 << 20

    mutating func copyBatches(to oldEnd: Int) throws {
        var cursor = BlockCursor(old, seed: oldSeed, copiedEnd..<oldEnd, .fail)
        var end = contents.end
        while let block = try cursor.next() {
            guard block.header.kind == .batch || block.header.kind == .index else {
                throw cursor.file.damage(at: block.offset, "a batch that was acknowledged")
            }
            // The file has an index of its own, and an empty batch has no content.
            guard block.isBatch else { continue }
            var output = BlockOutput(file: file, seed: header.seed, at: end)
            try cursor.forEachEntry(of: block) { entry in
                try entry.read { _ = try output.append($0) }
                return true
            }
            try output.finish(sequence: block.header.sequence, durableEnd: end)
            end = output.end
        }
        copiedEnd = oldEnd
        try contents.resume(to: end)
        guard contents.end == end else {
            throw file.damage(at: contents.end, "a batch that was just copied")
        }
    }

    func finish(after state: LogState, sequence: UInt64) throws -> LogState {
        var state = state
        state.indexOffset = UInt64(indexOffset)
        state.durableEnd = UInt64(contents.end)
        state.sequence = sequence
        // No real file reaches the end of these numbers, but a forged one may begin there.
        state.compactions &+= 1
        state.generation &+= 1
        try FileHead.write(header, states: [state, state], to: file)
        try file.sync()
        return state
    }

    mutating func apply(to view: inout OpenFile.View, as file: StorageFile) {
        (view.file, view.index, view.types) = (file, contents.takeIndex(), contents.types)
        (view.liveBytes, view.indexSize, view.end) = (contents.liveBytes, indexedEnd - indexOffset, contents.end)
    }
}
