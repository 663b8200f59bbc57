import NestedRecords

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

        /// The number of other bytes that a compaction keeps: deletions, the history, headers.
        public let keptByteCount: Int

        /// The number of compactions of the file.
        public let compactionCount: Int

        /// The reason why the file cannot be compacted, or why the last compaction failed; nil otherwise.
        ///
        /// A file that cannot be replaced cannot be compacted, see ``FileRecordDatabase/compact()``. After any other
        /// failure an automatic compaction is tried again when the file has grown by a quarter.
        public let compactionFailure: String?

        /// The number of records.
        public var recordCount: Int { types.reduce(0) { $0 + $1.recordCount } }

        /// The number of bytes of the newest versions of all records.
        public var liveByteCount: Int { types.reduce(0) { $0 + $1.byteCount } }

        /// The number of bytes that a compaction would reclaim: older versions, saved indexes, headers of batches.
        public var deadByteCount: Int { max(0, fileSize - FileHeader.batchesStart - liveByteCount - keptByteCount) }
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

extension FileRecordDatabase.Statistics: CustomStringConvertible {
    /// A table of the types, a line about the file, and a second line if it cannot be compacted.
    ///
    /// ```
    /// type  records  bytes
    /// Book        2     81
    /// Shelf       1     40
    /// all         3    121
    /// 4338 bytes in the file, 121 live, 119 dead, 0 compactions
    /// ```
    public var description: String {
        let rows =
            [("type", "records", "bytes")] + types.map { ($0.type, "\($0.recordCount)", "\($0.byteCount)") }
            + [("all", "\(recordCount)", "\(liveByteCount)")]
        func width(_ column: ((String, String, String)) -> String) -> Int { rows.map { column($0).count }.max() ?? 0 }
        let widths = (width(\.0), width(\.1), width(\.2))
        func padding(_ text: String, _ width: Int) -> String { String(repeating: " ", count: width - text.count) }
        let lines = rows.map { type, records, bytes in
            "\(type)\(padding(type, widths.0))  \(padding(records, widths.1))\(records)"
                + "  \(padding(bytes, widths.2))\(bytes)"
        }
        let file =
            "\(fileSize.counted("byte")) in the file, \(liveByteCount) live, \(deadByteCount) dead, "
            + compactionCount.counted("compaction")
        let failure = compactionFailure.map { ["not compacted: \($0)"] } ?? []
        return (lines + [file] + failure).joined(separator: "\n")
    }
}

extension FileRecordDatabase.Statistics: ChildlessReflectable {}

extension LogStore {
    func statistics(_ writer: LogWriter) throws -> FileRecordDatabase.Statistics {
        let view = try file.currentView()
        var lengths = EntryReader(seed: view.seed)
        var form = RecordReader()
        var counts: [String: FileRecordDatabase.Statistics.OfType] = [:]
        for slot in view.index.slots where slot.place != 0 {
            // All types beyond the limit share a number.
            let type =
                try view.types.name(ofKey: slot.key)
                ?? lengths.read(slot.place, in: view.file) { entry, _ in try form.record(from: entry.body).id.type }
            counts[type, default: .init(type: type, recordCount: 0, byteCount: 0)].recordCount += 1
            counts[type]?.byteCount += try lengths.length(of: slot.place, in: view.file)
        }
        let types = counts.values.sorted { $0.type < $1.type }
        return FileRecordDatabase.Statistics(
            types: types, fileSize: view.end,
            keptByteCount: max(0, view.liveBytes - types.reduce(0) { $0 + $1.byteCount }),
            compactionCount: Int(clamping: writer.state.compactions),
            compactionFailure: (writer.compactionFailure ?? compactor.replacementFailure).map { "\($0)" })
    }
}
