import NestedRecords

extension LogStore {
    /// Saves the index where a later opening would otherwise have much to read, and notes that all is whole.
    func writeState(_ writer: inout LogWriter) throws {
        if let failure = writer.failure { throw failure }
        let (file, end) = view.withLock { ($0.file, $0.end) }
        guard end > Int(clamping: writer.state.durableEnd) || writer.sequence != writer.state.sequence else { return }
        var state = writer.state
        state.sequence = writer.sequence
        state.generation &+= 1
        var newEnd = end
        if end - writer.indexedEnd > Self.longestReplay {
            // There is no other writer, so the index does not change, and is not copied.
            let view = view.withLock { $0 }
            do {
                newEnd += try SavedIndex.write(
                    view.index, view.types, liveBytes: view.liveBytes, sequence: writer.sequence,
                    durableEnd: options.durability == .full ? end : Int(clamping: writer.state.durableEnd), to: file,
                    at: end)
                state.indexOffset = UInt64(end)
            } catch FileRecordDatabaseError.Code.diskFull {
                // The index only saves time. The state has its room already.
                try file.truncate(to: end)
            }
        }
        // The state says that what is before it is whole: first that, then the state.
        try file.sync()
        state.durableEnd = UInt64(newEnd)
        try file.write(state.bytes(seed: view.withLock { $0.seed }), at: state.offset)
        try file.sync()
        writer.state = state
        if newEnd > end { (writer.indexedEnd, writer.indexSize) = (newEnd, newEnd - end) }
        view.withLock { $0.end = newEnd }
    }

    /// How many bytes an opening may have to read.
    private static let longestReplay = 4 << 20

    /// Ends the writing and reading of the file.
    func close(_ writer: inout LogWriter) throws {
        guard view.withLock({ $0.isOpen }) else { return }
        defer {
            view.withLock { $0.isOpen = false }
            doorbell.ring()
        }
        // A forked process has the same lock, and would release that of the writer.
        guard !options.isReadOnly, isOwnProcess else { return }
        defer { view.withLock { $0.file }.unlock() }
        try writeState(&writer)
    }
}
