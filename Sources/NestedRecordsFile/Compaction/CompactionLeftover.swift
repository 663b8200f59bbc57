import NestedRecords

/// The name of a file that is being compacted, and what is left under it by a compaction that was killed.
enum CompactionLeftover {
    static let mark = ".compacting-"

    /// The suffix of the name while a file is being compacted: no other file has such a name, because the seed is
    /// random.
    static func suffix(_ seed: UInt64) -> String { mark + seed.sixteenDigits }

    /// Removes what a compaction has left that was killed.
    static func remove(of file: StorageFile, seed: UInt64) {
        let name = file.name.adding(suffix(seed))
        guard let leftover = try? StorageFile.open(name, OpenFlags.leftovers, file.system),
            (try? leftover.lock()) != nil, (try? isCompaction(leftover, seed: seed)) == true,
            (try? leftover.isCurrent()) == true
        else { return }
        _ = file.system.remove(name.resolved)
    }

    /// Whether a file may be the leftover of a compaction: its header tells so, or it is the beginning of one, or zeros
    /// where the power was lost before the disk had it.
    private static func isCompaction(_ file: StorageFile, seed: UInt64) throws -> Bool {
        let whole = FileHeader(seed: 0).bytes
        let bytes = try file.bytes(whole.count, at: 0)
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        // Its own seed, which is a new one, may be cut off.
        guard bytes.count == whole.count else { return whole[..<16].starts(with: bytes.prefix(16)) }
        let header = try? bytes.withUnsafeBytes { try FileHeader($0, path: file.path) }
        return header?.origin == seed
    }
}
