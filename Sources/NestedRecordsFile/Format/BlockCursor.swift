@_spi(Engines) import NestedRecords

/// Reads a record file block by block, and the entries of batches.
///
/// The policy decides how damage is handled.
struct BlockCursor {
    enum DamagePolicy {
        /// The blocks end there: the writer may have ended while it wrote these bytes.
        case stop

        case fail

        /// Damage is noted, and valid entries and blocks are searched after it, byte by byte.
        case skip
    }

    struct Block: Equatable {
        let header: BlockHeader
        let contents: Range<Int>
        var offset: Int { contents.lowerBound - BlockHeader.size }

        var isBatch: Bool { header.kind == .batch && header.count > 0 }
    }

    let file: StorageFile
    let seed: UInt64
    let policy: DamagePolicy
    private(set) var offset: Int
    private(set) var end: Int
    var window: BufferedReader
    var form = RecordReader()
    var damage: [Damage] = []

    init(_ file: StorageFile, seed: UInt64, _ range: Range<Int>, _ policy: DamagePolicy) {
        (self.file, self.seed, self.policy) = (file, seed, policy)
        (offset, end) = (range.lowerBound, range.upperBound)
        window = BufferedReader(file: file, end: range.upperBound)
    }

    mutating func extend(to end: Int) {
        self.end = end
        window = BufferedReader(file: file, end: end)
    }

    mutating func goBack(to block: Block) { offset = block.offset }

    mutating func header(at offset: Int) throws -> BlockHeader? {
        guard end - offset >= BlockHeader.size else { return nil }
        let seed = seed
        return try window.withBytes(BlockHeader.size, at: offset) { BlockHeader($0, seed: seed, at: offset) }
    }

    /// The next block; nil at the end of the blocks.
    ///
    /// - Parameter found: Called with the entries that a search finds before the block.
    mutating func next(_ found: (FoundEntry) -> Void = { _ in }) throws -> Block? {
        while offset < end {
            let contents = offset + BlockHeader.size
            var header = try header(at: offset)
            if header?.kind == .announcement { header = nil }
            if let header, header.byteCount <= UInt64(end - contents) {
                offset = contents + Int(header.byteCount)
                return Block(header: header, contents: contents..<offset)
            }
            switch policy {
            case .stop: return nil
            case .fail: throw file.damage(at: offset, "a batch that was acknowledged")
            case .skip: offset = try search(from: offset, isLongBlock: header != nil, found)
            }
        }
        return nil
    }
}

// MARK: Entries

extension BlockCursor {
    struct Entry {
        let number: Int
        let offset: Int

        /// Valid only during the call of the closure.
        let bytes: UnsafeRawBufferPointer
        fileprivate let firstNumber: UInt64
        fileprivate let seed: UInt64
        fileprivate let path: String
        var kind: LogEntry.Kind? { LogEntry.Kind(bytes[LogEntry.headerSize]) }

        var beginsBatch: Bool {
            if let kind, kind.isCopied { !kind.continuesBatch } else { number == 0 }
        }

        var place: UInt64 { EntryLocation.make(offset: offset, length: bytes.count) }

        /// Calls the closure with the record or the deletion; damage is an error.
        func read<Result>(_ body: (EntryReader.Entry) throws -> Result) throws -> Result {
            try EntryReader.withEntry(bytes, seed: seed, at: offset, path: path, body)
        }

        /// The number in the change tag, or the one that the tag of a deletion would have; nil for a copy by a compaction,
        /// whose content has it.
        var position: UInt64? { kind?.isCopied == true ? nil : firstNumber &+ UInt64(number) &+ 1 }

        /// The number in the change tag; nil if there is none.
        func position(_ content: EntryReader.Entry) throws -> UInt64? {
            if let position { return position }
            if content.kind.isDeletion { return content.number }
            return try RecordReader.metadata(of: content.body).flatMap { UInt64($0.changeTag, radix: 36) }
        }

        var claim: EntryReader.Identity? {
            EntryReader.Identity(content: UnsafeRawBufferPointer(rebasing: bytes[LogEntry.headerSize...]))
        }

        /// The kind and the record ID, as far as they are certain although the checksum is wrong.
        var identity: EntryReader.Identity? { EntryReader.Identity(ofDamaged: bytes, seed: seed) }
    }

    /// Calls the closure with each entry of a batch, until it returns false.
    ///
    /// - Returns: Whether the lengths of the entries can be followed.
    @discardableResult
    mutating func forEachEntry(of block: Block, _ body: (Entry) throws -> Bool) throws -> Bool {
        var (offset, number) = (block.contents.lowerBound, 0)
        let (seed, path) = (seed, file.path)
        while offset < block.contents.upperBound {
            guard let length = try window.entryLength(at: offset, end: block.contents.upperBound) else {
                if policy == .fail { throw file.damage(at: offset, "the length of a record") }
                return false
            }
            let goesOn = try window.withBytes(length, at: offset) { bytes in
                try body(
                    Entry(
                        number: number, offset: offset, bytes: bytes, firstNumber: block.header.sequence, seed: seed,
                        path: path))
            }
            guard goesOn else { return true }
            offset += length
            number += 1
        }
        return true
    }

    mutating func isCopy(_ block: Block) throws -> Bool {
        var isCopied = false
        try forEachEntry(of: block) { entry in
            isCopied = entry.kind?.isCopied ?? false
            return false
        }
        return isCopied
    }
}
