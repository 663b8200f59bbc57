public import NestedRecords

extension FileRecordDatabase {
    /// Damage in a record file.
    public struct Problem: Sendable, Hashable {
        /// What is damaged.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// The header of the file.
            case header
            /// One of the two notes of the file's state; the other one is undamaged.
            case state
            /// The header of a batch, or the batch as a whole.
            case batch
            /// A record or a deletion, whose checksum is wrong.
            case entry
            /// A record whose checksum is right, but whose content is not a valid record.
            case record
            /// An index: a saved one, or the one that the database works with.
            case index
        }

        /// Where in the file it is, in bytes.
        public let offset: Int

        /// The record, if it is known.
        public let record: Record.ID?

        /// What is damaged.
        public let kind: Kind

        /// Whether it is of no consequence: an older version of a record, or something that is recreated when needed.
        public let isDead: Bool

        /// What is wrong with it.
        public let reason: String
    }
}

extension FileRecordDatabase.Problem: CustomStringConvertible {
    /// Where the problem is, and what is wrong, in one line.
    public var description: String {
        "byte \(offset), \(kind.rawValue)\(record.map { " \($0)" } ?? "")\(isDead ? " (not in use)" : ""): \(reason)"
    }
}

extension FileRecordDatabase {
    /// Reads everything in the file, including superseded data, and compares it with what was written.
    ///
    /// - Returns: The problems in the order of the file; empty if the file is undamaged.
    /// - Throws: ``FileRecordDatabaseError/closed(path:)``, what the system refuses, and `CancellationError` if the task is
    ///   cancelled.
    /// - Complexity: O(*n*) for *n* bytes. The memory is in proportion to the index.
    public func verify() async throws -> [Problem] {
        var verification = try FileVerification(store.currentView())
        while try verification.verifyNextBlock() {
            try Task.checkCancellation()
            await Task.yield()
        }
        return try verification.finish()
    }
}

/// Goes through a file block by block.
struct FileVerification {
    typealias Problem = FileRecordDatabase.Problem

    private let view: LogStore.View
    private let head: FileHead?
    private var seed: UInt64 { view.seed }
    private let places: [UInt64]
    private var window: BufferedReader
    private var form = RecordReader()
    private var offset: Int
    private var problems: [Problem] = []

    /// The number of index slots whose entries were found so far.
    private var placeCount = 0

    init(_ view: LogStore.View) throws {
        self.view = view
        head = try? FileHead(of: view.file)
        offset = head?.batchesStart ?? FileHeader.size
        places = view.index.places()
        window = BufferedReader(file: view.file, end: view.end)
        if head == nil { note(0, .header, "the header and its copy, or both states, are damaged") }
        for part in head?.damaged ?? [] { note(part.offset, part.kind, "the checksum is wrong", isDead: true) }
    }

    private mutating func note(
        _ offset: Int, _ kind: Problem.Kind, _ reason: String, record: Record.ID? = nil, isDead: Bool = false
    ) {
        problems.append(Problem(offset: offset, record: record, kind: kind, isDead: isDead, reason: reason))
    }

    /// Looks at one block.
    ///
    /// - Returns: Whether there are more.
    mutating func verifyNextBlock() throws -> Bool {
        guard offset < view.end else { return false }
        let (seed, start) = (seed, offset)
        let head =
            view.end - start < BlockHeader.size
            ? nil : try window.withBytes(BlockHeader.size, at: start) { BlockHeader($0, seed: seed, at: start) }
        guard let head, head.byteCount <= UInt64(view.end - start - BlockHeader.size) else {
            note(start, .batch, "the header of the batch is damaged, and its contents are unknown")
            offset = try window.nextHeader(from: start + 1, seed: seed) ?? view.end
            return true
        }
        offset = start + BlockHeader.size + Int(head.byteCount)
        switch head.kind {
        case .batch: try verifyEntries((start + BlockHeader.size)..<offset, head)
        case .index: try verifyIndex(at: start)
        case .header, .announcement: break
        }
        return true
    }

    private mutating func verifyEntries(_ range: Range<Int>, _ head: BlockHeader) throws {
        var digest: UInt64 = 0
        var count = 0
        var position = range.lowerBound
        while position < range.upperBound {
            guard let length = try window.entryLength(at: position, end: range.upperBound) else {
                while placeCount < places.count, EntryLocation.offset(places[placeCount]) < position { placeCount += 1 }
                let isLive = placeCount < places.count && EntryLocation.offset(places[placeCount]) < range.upperBound
                let reason = "the length is damaged, and the rest of the batch is unknown"
                return note(position, .entry, reason, isDead: !isLive)
            }
            while placeCount < places.count, EntryLocation.offset(places[placeCount]) < position { placeCount += 1 }
            let isLive = placeCount < places.count && EntryLocation.offset(places[placeCount]) == position
            if isLive { placeCount += 1 }
            digest = BlockHeader.digest(digest, try verifyEntry(length, at: position, isLive: isLive))
            count += 1
            position += length
        }
        if digest != head.digest || count != Int(head.count) {
            note(
                range.lowerBound - BlockHeader.size, .batch, "the records in the batch are not those that were written")
        }
    }

    private mutating func verifyEntry(_ length: Int, at offset: Int, isLive: Bool) throws -> UInt32 {
        let (seed, path) = (seed, view.file.path)
        typealias Finding = (checksum: UInt32, id: Record.ID?, problem: (Problem.Kind, String)?)
        let (checksum, id, problem) = try window.withBytes(length, at: offset) { bytes -> Finding in
            let checksum = bytes.fixed(UInt32.self, at: 4)
            let content = UnsafeRawBufferPointer(rebasing: bytes[(LogEntry.headerSize + 1)...])
            let id = try? RecordReader.id(from: content)
            do {
                let entry = try EntryReader.entry(bytes, seed: seed, at: offset, path: path)
                do {
                    switch entry.kind {
                    case LogEntry.save: _ = try form.record(from: entry.body)
                    case LogEntry.delete: _ = try RecordReader.id(from: entry.body)
                    default: return (checksum, id, (Problem.Kind.record, "its kind is \(entry.kind)"))
                    }
                } catch {
                    return (checksum, id, (Problem.Kind.record, "\(error)"))
                }
            } catch {
                return (checksum, id, (Problem.Kind.entry, "the checksum is wrong"))
            }
            return (checksum, id, nil)
        }
        if let (kind, reason) = problem { note(offset, kind, reason, record: id, isDead: !isLive) }
        return checksum
    }

    private mutating func verifyIndex(at start: Int) throws {
        if try SavedIndex(view.file, seed, at: start, view.end) == nil {
            note(start, .index, "the checksum of a saved index is wrong", isDead: true)
        }
    }

    /// Compares the index in memory with the contents of the file.
    mutating func finish() throws -> [Problem] {
        guard var blocks = head, !problems.contains(where: { !$0.isDead }) else { return problems }
        blocks.state = LogState()
        var replay = try LogReplay(file: view.file, head: blocks, size: view.end)
        try replay.run()
        // The locations alone do not show whether a fetch finds them: it looks for the keys.
        let isFound = replay.index.slots.allSatisfy { slot in
            guard slot.place != 0, let type = replay.types.name(ofKey: slot.key) else { return true }
            let key = view.types.number(of: type).map { slot.key & ~0xFFFF | UInt64($0) }
            return key.map { view.index.contains($0, at: slot.place) } ?? false
        }
        if replay.index.places() != places || !isFound {
            note(view.end, .index, "the database does not work with the newest versions of its records")
        }
        return problems
    }
}
