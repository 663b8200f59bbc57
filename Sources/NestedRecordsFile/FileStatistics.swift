import NestedRecords

/// What a record file holds.
public struct FileStatistics: Sendable, Hashable {
    /// The records of one type.
    public struct OfType: Sendable, Hashable {
        /// The record type.
        public let type: String

        /// How many records there are.
        public internal(set) var records: Int

        /// The bytes that they take in the file.
        public internal(set) var bytes: Int
    }

    /// The records by type, in the order of the types' names.
    public let types: [OfType]

    /// The size of the file in bytes.
    public let fileSize: Int

    /// How often the file was compacted.
    public let compactions: Int

    /// How many records there are.
    public var records: Int { types.reduce(0) { $0 + $1.records } }

    /// The bytes of the newest versions of all records.
    public var liveBytes: Int { types.reduce(0) { $0 + $1.bytes } }

    /// The bytes that a compaction would free: older versions, deletions, saved indexes, headers of batches.
    public var deadBytes: Int { max(0, fileSize - FileHeader.size - liveBytes) }
}

extension FileRecordDatabase {
    /// Counts the records and the bytes in the file.
    ///
    /// - Returns: The records and bytes by type, and the size of the file.
    /// - Throws: ``FileRecordDatabaseError/closed(path:)`` and what the system refuses.
    /// - Complexity: O(*n*) for *n* records, in memory.
    public func statistics() async throws -> FileStatistics {
        try await store.perform { try $0.statistics($1) }
    }
}

extension LogStore {
    func statistics(_ writer: LogWriter) throws -> FileStatistics {
        let view = try currentView()
        var lengths = EntryReader(seed: seed)
        var form = RecordReader()
        var counts: [String: FileStatistics.OfType] = [:]
        for slot in view.index.slots where slot.place != 0 {
            // Beyond the others all types share a number.
            let type =
                try view.types.name(ofKey: slot.key)
                ?? lengths.read(slot.place, in: view.file) { entry, _ in try form.record(from: entry.body).id.type }
            counts[type, default: .init(type: type, records: 0, bytes: 0)].records += 1
            counts[type]?.bytes += try lengths.length(of: slot.place, in: view.file)
        }
        return FileStatistics(
            types: counts.values.sorted { $0.type < $1.type }, fileSize: view.end,
            compactions: Int(clamping: writer.state.compactions))
    }
}
