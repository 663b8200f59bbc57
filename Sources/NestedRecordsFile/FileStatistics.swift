@_spi(Engines) import NestedRecords

extension FileRecordDatabase {
    /// The number and size of the records in a record file.
    public struct Statistics: Sendable, Hashable {
        /// The records of one type.
        public struct OfType: Sendable, Hashable {
            /// The record type.
            public let type: String

            /// The number of records.
            public internal(set) var recordCount: Int

            /// The size of the records in the file, in bytes.
            public internal(set) var byteCount: Int
        }

        /// The statistics of each record type, in the order of the types' names.
        public let types: [OfType]

        /// The size of the file in bytes.
        public let fileSize: Int

        /// The number of bytes that a compaction would reclaim: older versions, saved indexes, headers of batches.
        public let deadByteCount: Int

        /// The number of compactions of the file.
        public let compactionCount: Int

        /// The reason why the file cannot be compacted, or why the last compaction failed; nil otherwise.
        ///
        /// A file that cannot be replaced cannot be compacted, see ``FileRecordDatabase/compact()``. After any other
        /// failure an automatic compaction is tried again when the file has grown by a quarter.
        public let compactionFailure: String?

        /// The number of records.
        public var recordCount: Int { types.reduce(0) { $0 + $1.recordCount } }

        /// The size of the newest versions of all records, in bytes.
        public var liveByteCount: Int { types.reduce(0) { $0 + $1.byteCount } }
    }

    /// Counts the records and the bytes in the file.
    ///
    /// - Returns: The records and bytes by type, and the size of the file.
    /// - Throws: `RecordDatabaseError.closed` and errors of the system.
    /// - Complexity: O(*n*) for *n* records, in memory.
    public func statistics() async throws -> Statistics {
        try await store.reading { [store] _ in try await store.writer.run { try store.statistics($0) } }
    }
}

extension FileRecordDatabase: TypeCountingRecordDatabase {
    package func recordCounts() async throws -> [String: Int] {
        Dictionary(try await statistics().types.map { ($0.type, $0.recordCount) }, uniquingKeysWith: +)
    }
}

extension LogStore {
    func statistics(_ writer: LogWriter) throws -> FileRecordDatabase.Statistics {
        let view = try file.currentView()
        var lengths = EntryReader(seed: view.seed)
        var counts: [String: FileRecordDatabase.Statistics.OfType] = [:]
        for slot in view.index.slots where slot.place != 0 {
            guard let type = view.types.name(ofKey: slot.key) else {
                throw view.file.damage(at: view.end, "a record type in the index")
            }
            counts[type, default: .init(type: type, recordCount: 0, byteCount: 0)].recordCount += 1
            counts[type]?.byteCount += try lengths.length(of: slot.place, in: view.file)
        }
        let types = counts.values.sorted { $0.type < $1.type }
        return FileRecordDatabase.Statistics(
            types: types, fileSize: view.end,
            deadByteCount: max(0, view.end - FileHeader.batchesStart - view.liveBytes),
            compactionCount: Int(clamping: writer.state.compactions),
            compactionFailure: (writer.compactionFailure ?? compactor.replacementFailure).map { "\($0)" })
    }
}
