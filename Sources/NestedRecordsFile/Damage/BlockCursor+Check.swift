@_spi(Engines) import NestedRecords

extension BlockCursor {
    /// Checks all blocks and the bytes between them; calls the first closure before each block.
    mutating func checkAll(_ checkGoesOn: () throws -> Void, _ found: (FoundEntry) -> Void) throws {
        try checkGoesOn()
        while let block = try next(found) {
            try check(block, found)
            try checkGoesOn()
        }
    }

    private mutating func check(_ block: Block, _ found: (FoundEntry) -> Void) throws {
        let range = block.offset..<block.contents.upperBound
        switch block.header.kind {
        case .batch: try checkEntries(of: block, found)
        case .index:
            if try SavedIndex(file, seed, at: block.offset, end) == nil {
                note(range, .index, "the checksum of a saved index is wrong")
            }
        case .history:
            if try FileHistory.Kept(file, seed, block) == nil { note(range, .batch, "the history is damaged") }
        case .audiences:
            if try FileAudiences.Kept(file, seed, block) == nil { note(range, .batch, "the audiences are damaged") }
        case .header, .announcement: break
        }
    }

    private mutating func checkEntries(of block: Block, _ found: (FoundEntry) -> Void) throws {
        let range = block.contents
        var (position, digests, isWhole) = (range.lowerBound, EntryDigests(), true)
        while position < range.upperBound {
            let length = try window.entryLength(at: position, end: range.upperBound)
            guard let length else {
                isWhole = false
                position = try searchEntry(in: position..<range.upperBound, "the length of an entry is damaged", found)
                continue
            }
            let next = position + length
            let seed = seed
            _ = try window.withBytes(length, at: position) { digests.add($0, seed: seed) }
            switch try look(at: position..<next, isInPlace: true) {
            case .success(let entry): found(entry)
            case .failure(let failure):
                // The length itself may be damaged: the bytes after the entry show whether it is right.
                let isFollowed =
                    try failure.kind == .record || next == range.upperBound
                    || isEntry(at: next, before: range.upperBound)
                if !isFollowed {
                    isWhole = false
                    position = try searchEntry(in: position..<range.upperBound, failure.reason, found)
                    continue
                }
                damage.append(failure)
            }
            position = next
        }
        if isWhole, !digests.match(block.header) {
            note(block.offset..<range.lowerBound, .batch, "the records in the batch are not those that were written")
        }
    }
}
