@_spi(Engines) import NestedRecords

/// An index for finding the changes in a file, and the range of known changes.
///
/// The position of a change is the number in its change tag. Numbers grow from entry to entry, with a random gap at
/// each opening for writing. So the first number of an opening marks all its changes: it differs in a file that was
/// restored to an earlier state and written again.
struct FileHistory {
    struct Opening: Equatable {
        let first: UInt64
        var last: UInt64
    }

    let part: OpenFile.Part
    private(set) var store: UInt64
    private(set) var openings: [Opening] = []
    private(set) var purgedPosition: UInt64 = 0
    private var checkpoints: [(position: UInt64, offset: Int)] = []
    private static let distance = 64 << 10
    private(set) var end: Int

    init(_ part: OpenFile.Part) {
        (self.part, store, end) = (part, part.seed, FileHeader.batchesStart)
        checkpoints = [(0, FileHeader.batchesStart)]
    }

    /// - Parameter body: Called with each batch that is not empty.
    mutating func extend(
        to end: Int, of file: StorageFile,
        _ body: (BlockCursor.Block, inout BlockCursor) throws -> Void = { _, _ in }
    ) throws {
        guard end > self.end else { return }
        var cursor = BlockCursor(file, seed: part.seed, self.end..<end, .fail)
        while let block = try cursor.next() {
            if block.header.kind == .history {
                guard let kept = try Kept(file, part.seed, block) else {
                    throw cursor.file.damage(at: block.offset, "the history of the file")
                }
                // The history is after the batches that a compaction has copied.
                (store, purgedPosition, openings) = (kept.store, kept.purgedPosition, kept.openings)
            }
            guard block.isBatch else { continue }
            try body(block, &cursor)
            let first = block.header.sequence
            if let last = checkpoints.last, block.offset - last.offset >= Self.distance {
                checkpoints.append((first, block.offset))
            }
            if try cursor.isCopy(block) { continue }
            let last = first &+ UInt64(block.header.count)
            if let opening = openings.last, opening.last == first {
                openings[openings.count - 1].last = last
            } else {
                openings.append(Opening(first: first &+ 1, last: last))
            }
        }
        self.end = end
    }
}

// MARK: Tokens

extension FileHistory {
    var position: UInt64 { openings.last?.last ?? purgedPosition }
    private var storeName: String { "file-\(String(store, radix: 16))" }

    func token(at position: UInt64) -> ChangeToken {
        let opening = openings.last { $0.first <= position }
        return ChangeToken(store: storeName, position: position, mark: opening?.first ?? 0)
    }

    /// The position of a token.
    ///
    /// - Throws: `RecordDatabaseError.changeTokenExpired` if not all changes since the token are known.
    func position(of token: ChangeToken) throws -> UInt64 {
        let (position, mark) = try token.place(in: storeName)
        // Before the known openings, the positions that existed are unknown.
        let isForgotten = position < purgedPosition
        if isForgotten, position < openings.first?.first ?? .max {
            throw RecordDatabaseError(.changeTokenExpired, .expiry(.purged))
        }
        // Before the first change no opening exists.
        if position == 0, mark == 0, !isForgotten { return position }
        // Not as a range: in a forged file an opening may end before it begins.
        guard
            openings.contains(where: {
                $0.first == mark && $0.first <= position && position <= $0.last
            })
        else { throw RecordDatabaseError(.changeTokenExpired, .expiry(.wentBack)) }
        if isForgotten { throw RecordDatabaseError(.changeTokenExpired, .expiry(.purged)) }
        return position
    }

    func offset(before position: UInt64) -> Int {
        checkpoints.last { $0.position <= position }?.offset ?? FileHeader.batchesStart
    }
}

// MARK: Compaction

extension FileHistory {
    struct Kept: Equatable {
        var store: UInt64
        var purgedPosition: UInt64
        var openings: [Opening]
        private static let mostOpenings = 1_000

        init(store: UInt64, purgedPosition: UInt64, openings: [Opening]) {
            (self.store, self.purgedPosition) = (store, purgedPosition)
            self.openings = openings.suffix(Self.mostOpenings)
            // The first kept opening is the beginning of the history.
            if let first = self.openings.first, openings.count > Self.mostOpenings {
                self.purgedPosition = max(purgedPosition, first.last)
            }
        }

        func write(to file: StorageFile, seed: UInt64, at offset: Int) throws -> Int {
            var bytes: [UInt8] = []
            bytes.append(fixed: store)
            bytes.append(fixed: purgedPosition)
            for opening in openings {
                bytes.append(fixed: opening.first)
                bytes.append(fixed: opening.last)
            }
            let head = BlockHeader(
                .history, count: openings.count, byteCount: bytes.count, sequence: 0,
                digest: bytes.withUnsafeBytes { XXH64.hash($0, seed: seed) }, durableEnd: offset)
            try file.write(head.bytes(seed: seed, at: offset) + bytes, at: offset)
            return BlockHeader.size + bytes.count
        }

        static func find(in file: StorageFile, seed: UInt64, _ blocks: Range<Int>) throws -> Kept? {
            var window = BufferedReader(file: file, end: blocks.upperBound)
            var start = blocks.lowerBound
            while let offset = try window.firstHeader(
                from: start, where: { BlockHeader($0, seed: seed, at: $1)?.kind == .history })
            {
                var cursor = BlockCursor(file, seed: seed, offset..<blocks.upperBound, .stop)
                if let block = try cursor.next(), let kept = try Kept(file, seed, block) { return kept }
                start = offset + 1
            }
            return nil
        }

        init?(_ file: StorageFile, _ seed: UInt64, _ block: BlockCursor.Block) throws {
            let (header, offset) = (block.header, block.contents.lowerBound)
            guard header.count <= Self.mostOpenings, header.byteCount == 16 + 16 * UInt64(header.count) else {
                return nil
            }
            var window = BufferedReader(file: file, end: offset + Int(header.byteCount))
            let count = Int(header.count)
            let kept = try window.withBytes(16 + 16 * count, at: offset) { bytes -> Kept? in
                guard XXH64.hash(bytes, seed: seed) == header.digest else { return nil }
                let openings = (1..<(count + 1)).map { number in
                    Opening(
                        first: bytes.fixed(UInt64.self, at: 16 * number),
                        last: bytes.fixed(UInt64.self, at: 16 * number + 8))
                }
                return Kept(
                    store: bytes.fixed(UInt64.self, at: 0), purgedPosition: bytes.fixed(UInt64.self, at: 8),
                    openings: openings)
            }
            guard let kept else { return nil }
            self = kept
        }
    }
}
