public import NestedRecords

extension FileRecordDatabase {
    /// What is undamaged in a record file, and what is not.
    public struct Salvage: Sendable {
        /// The damage, in the order of the file.
        ///
        /// ``Problem/isDead`` says that there is an undamaged, later version of the record.
        public let problems: [Problem]

        /// The number of records that are undamaged.
        public var recordCount: Int { places.count }

        private let file: StorageFile
        private let seed: UInt64

        /// The places of the records, in the order of the file.
        private let places: [Range<Int>]

        init(problems: [Problem], file: StorageFile, seed: UInt64, places: [Range<Int>]) {
            (self.problems, self.file, self.seed, self.places) = (problems, file, seed, places)
        }

        /// The newest undamaged version of every record, in the order of the file.
        ///
        /// Of a record whose newest version is damaged that is an earlier one, if there is one.
        public var records: RecordSequence {
            RecordSequence { SalvagedRecords(salvage: self) }
        }

        private struct SalvagedRecords: RecordSequence.Source {
            let salvage: Salvage
            var window: BufferedReader
            var form = RecordReader()
            var position = 0

            init(salvage: Salvage) {
                self.salvage = salvage
                window = BufferedReader(file: salvage.file, end: salvage.places.last?.upperBound ?? 0)
            }

            mutating func next() async throws -> Record? {
                guard position < salvage.places.count else { return nil }
                let place = salvage.places[position]
                let (seed, path) = (salvage.seed, salvage.file.path)
                position += 1
                return try window.withBytes(place.count, at: place.lowerBound) { bytes in
                    try EntryReader.withEntry(bytes, seed: seed, at: place.lowerBound, path: path) {
                        try form.record(from: $0.body)
                    }
                }
            }
        }
    }

    /// Reads all that is undamaged in a record file that cannot be opened any more.
    ///
    /// The file is not changed and not locked, and is read from the beginning to the end: each record or deletion
    /// whose checksum is right counts, also in batches that are damaged or were never completed, and behind missing or
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
    /// - Throws: ``FileRecordDatabaseError/notARecordFile(path:)``,
    ///   ``FileRecordDatabaseError/unsupportedVersion(path:version:)``, ``FileRecordDatabaseError/corrupt(path:offset:what:)`` if
    ///   the header is damaged so much that no checksum can be compared, what the system refuses, and `CancellationError`
    ///   if the task is cancelled.
    /// - Complexity: O(*n*) for *n* bytes, the memory in proportion to the number of records.
    public static func salvage(from path: String) async throws -> Salvage {
        try await salvage(from: path, system: FileSystem())
    }

    static func salvage(from path: String, system: FileSystem) async throws -> Salvage {
        let file = try StorageFile.open(try FilePath(path, system), OpenFlags.reading, system)
        var salvage = try FileSalvage(file)
        while try salvage.next() {
            try Task.checkCancellation()
            await Task.yield()
        }
        return salvage.finish()
    }
}

/// Goes through a damaged file.
struct FileSalvage {
    typealias Problem = FileRecordDatabase.Problem

    /// The newest version of a record so far.
    private struct Version {
        let place: Range<Int>

        /// The number that its change tag is made of.
        let number: UInt64
    }

    private let file: StorageFile
    private let seed: UInt64
    private var problems: [Problem]
    private var walk: FileWalk
    private var versions: [Record.ID: Version] = [:]

    init(_ file: StorageFile) throws {
        self.file = file
        let size = try file.size()
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
        } catch let error as FileRecordDatabaseError where error.code == .corrupt || error.code == .notARecordFile {
            guard let seed = try Self.findSeed(file) else { throw error }
            self.seed = seed
            let kind: Problem.Kind = error.offset ?? 0 > 0 ? .state : .header
            problems = [
                Problem(
                    offset: error.offset ?? 0, record: nil, kind: kind, isDead: false,
                    reason: error.reason ?? "\(error)")
            ]
        }
        walk = FileWalk(file, seed: seed, from: FileHeader.batchesStart, to: size)
    }

    /// Finds the seed of a file whose header or states are damaged: the one, or the one but for a bit, for which
    /// a checksum is right.
    private static func findSeed(_ file: StorageFile) throws -> UInt64? {
        var bytes = [UInt8](repeating: 0, count: FileHeader.batchesStart + BlockHeader.size)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
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

    /// Looks at one block, or at what is between two.
    ///
    /// - Returns: Whether there is more.
    mutating func next() throws -> Bool {
        var found: [FileWalk.Found] = []
        let hasMore = try walk.next { found.append($0) }
        for entry in found {
            guard !entry.isDeletion else {
                versions[entry.id] = nil
                continue
            }
            let number = entry.metadata.flatMap { UInt64($0.changeTag, radix: 36) } ?? 0
            // What is found behind damage may be a part of a record that holds a copy of this file.
            if !entry.isInPlace, let newer = versions[entry.id], newer.number >= number { continue }
            versions[entry.id] = Version(place: entry.range, number: number)
        }
        return hasMore
    }

    /// The result.
    func finish() -> FileRecordDatabase.Salvage {
        let damage = walk.damage.map { damage in
            let later = damage.record.flatMap { versions[$0] }.map { $0.place.lowerBound > damage.range.lowerBound }
            return Problem(
                offset: damage.range.lowerBound, record: damage.record, kind: damage.kind,
                isDead: damage.kind == .index || later ?? false, reason: damage.reason)
        }
        return FileRecordDatabase.Salvage(
            problems: (problems + damage).sorted { $0.offset < $1.offset }, file: file, seed: seed,
            places: versions.values.map(\.place).sorted { $0.lowerBound < $1.lowerBound })
    }
}
