@_spi(Engines) public import NestedRecords

extension FileRecordDatabase {
    /// The undamaged records in a record file, and its damage.
    public struct Salvage: Sendable {
        /// The damage, in the order of the file.
        ///
        /// ``Problem/isDead`` is true if an undamaged, later version of the record exists.
        public let problems: [Problem]

        /// The number of undamaged records.
        public var recordCount: Int { entries.places.count }

        fileprivate let entries: EntryList
        fileprivate let chunks: FolderAssetChunks

        /// The newest undamaged version of every record, in the order of the file.
        ///
        /// If the newest version is damaged, this is an earlier one, if any.
        public var records: RecordSequence { RecordSequence(pages: { [entries] in EntryPages { entries } }) }

        /// Finds the contents of assets in the folder beside the file, as far as undamaged records list them.
        ///
        /// A record that names an asset can be saved in a database that has its content: add this one there before, with
        /// `AssetStore.add(_:contentType:fileName:)`.
        ///
        /// - Returns: The contents, to be read. A damaged content throws `RecordDatabaseError.corrupt` when it is read.
        /// - Throws: The errors of reading ``records``.
        /// - Complexity: O(*n*) for *n* records; the memory is in proportion to the number of contents.
        public func assets() async throws -> AssetStore {
            let list = InMemoryRecordDatabase()
            for try await record in records where record.id.isOfAssets {
                try await list.commit(RecordBatch(saving: [record], savePolicy: .overwrite))
            }
            return AssetStore(StoredAssets(list, chunks))
        }
    }

    /// Reads all undamaged records of a record file that can no longer be opened.
    ///
    /// The file is not changed and not locked, and is read from the beginning to the end: each record or deletion whose
    /// checksum is right counts, also in batches that are damaged or were never completed, and after missing or
    /// inserted bytes.
    ///
    /// ```swift
    /// let salvage = try await FileRecordDatabase.salvage(from: "school.records")
    /// let database = try FileRecordDatabase(path: "new.records")
    /// for try await record in salvage.records { … }
    /// ```
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The records and the damage.
    /// - Throws: `RecordDatabaseError.notARecordDatabase`,
    ///   `RecordDatabaseError.unsupportedVersion`, `RecordDatabaseError.corrupt` if the header is too damaged to
    ///   compare any checksum, errors of the system, and `CancellationError` if the task is cancelled.
    /// - Complexity: O(*n*) for *n* bytes; the memory is in proportion to the number of records.
    public static func salvage(from path: String) async throws -> Salvage {
        try await salvage(from: path, system: FileSystem())
    }

    static func salvage(from path: String, system: FileSystem) async throws -> Salvage {
        try await BlockingQueue.runAlone { checkGoesOn in
            let path = try FilePath(path, system)
            var salvage = try FileSalvage(StorageFile.open(path, OpenFlags.reading, system))
            return try salvage.run(FolderAssetChunks(beside: path, system), checkGoesOn)
        }
    }
}

private struct FileSalvage {
    typealias Problem = FileRecordDatabase.Problem

    private let file: StorageFile
    private let size: Int
    private let seed: UInt64
    private var problems: [Problem]

    init(_ file: StorageFile) throws {
        self.file = file
        size = try file.size()
        do {
            let head = try FileHead(of: file)
            seed = head.seed
            problems = head.damaged.map {
                Problem(offset: $0.offset, record: nil, kind: $0.kind, isDead: true, reason: "the checksum is wrong")
            }
            if head.state.durableEnd > UInt64(size) {
                let reason = "the file is shorter than the \(head.state.durableEnd) bytes it once had"
                problems.append(Problem(offset: size, record: nil, kind: .batch, isDead: false, reason: reason))
            }
        } catch let error as RecordDatabaseError where error.code == .corrupt || error.code == .notARecordDatabase {
            guard let seed = try Self.findSeed(file) else { throw error }
            self.seed = seed
            let offset = error.offset ?? 0
            problems = [
                Problem(
                    offset: offset, record: nil, kind: offset > 0 ? .state : .header, isDead: false,
                    reason: error.reason ?? "\(error)")
            ]
        }
    }

    /// Finds the seed of a file whose header or states are damaged: a seed, possibly with one bit changed, for which a
    /// checksum is right.
    private static func findSeed(_ file: StorageFile) throws -> UInt64? {
        let found = try file.bytes(FileHeader.batchesStart + BlockHeader.size, at: 0)
        let count = found.count
        // The checksum of zeros never matches by chance.
        let bytes = found + [UInt8](repeating: 0, count: FileHeader.batchesStart + BlockHeader.size - count)
        return bytes.withUnsafeBytes { bytes in
            func isRight(_ seed: UInt64) -> Bool {
                let blocks = [FileHeader.size, FileHeader.batchesStart].contains { offset in
                    offset + BlockHeader.size <= count
                        && BlockHeader(UnsafeRawBufferPointer(rebasing: bytes[offset...]), seed: seed, at: offset)
                            != nil
                }
                let states = LogState.offsets.contains { offset in
                    LogState(UnsafeRawBufferPointer(rebasing: bytes[offset...]), seed: seed) != nil
                }
                return blocks || states
            }
            let claimed = [
                bytes.fixed(UInt64.self, at: 16),
                BlockHeader.sequence(in: UnsafeRawBufferPointer(rebasing: bytes[FileHeader.size...])),
            ]
            let flipped = claimed.lazy.flatMap { seed in (0..<64).lazy.map { seed ^ 1 << $0 } }
            return claimed.first(where: isRight) ?? flipped.first(where: isRight)
        }
    }

    mutating func run(
        _ chunks: FolderAssetChunks, _ checkGoesOn: () throws -> Void
    ) throws -> FileRecordDatabase.Salvage {
        // The newest version of each record so far, and the number of its change tag.
        var versions: [Record.ID: (range: Range<Int>, number: UInt64)] = [:]
        var cursor = BlockCursor(file, seed: seed, FileHeader.batchesStart..<max(size, FileHeader.batchesStart), .skip)
        try cursor.checkAll(checkGoesOn) { entry in
            if entry.isDeletion { return versions[entry.id] = nil }
            let number = entry.metadata.flatMap { UInt64($0.changeTag, radix: 36) } ?? 0
            // Entries found after damage may be part of a record that holds a copy of this file.
            if !entry.isInPlace, let newer = versions[entry.id], newer.number >= number { return }
            versions[entry.id] = (entry.range, number)
        }
        problems += cursor.damage.map { damage in
            let later = damage.record.flatMap { versions[$0] }.map { $0.range.lowerBound > damage.range.lowerBound }
            return Problem(
                offset: damage.range.lowerBound, record: damage.record, kind: damage.kind,
                isDead: damage.kind == .index || later ?? false, reason: damage.reason)
        }
        let places = versions.values.map {
            EntryLocation.make(offset: $0.range.lowerBound, length: $0.range.count)
        }
        return FileRecordDatabase.Salvage(
            problems: problems.sorted { $0.offset < $1.offset },
            entries: EntryList(file: file, seed: seed, places: places.sorted()), chunks: chunks)
    }
}
