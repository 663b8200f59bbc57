@_spi(Engines) import NestedRecords

/// The name of a file during compaction, and the removal of a file that a killed compaction left under it.
enum CompactionLeftover {
    static let mark = ".compacting-"

    static func suffix(_ seed: UInt64) -> String { mark + seed.sixteenDigits }

    static func remove(of file: StorageFile, seed: UInt64) {
        let name = file.name.adding(suffix(seed))
        guard let leftover = try? StorageFile.open(name, OpenFlags.leftovers, file.system),
            (try? leftover.lock()) != nil, (try? isCompaction(leftover, seed: seed)) == true,
            (try? leftover.isCurrent()) == true
        else { return }
        _ = file.system.remove(name.resolved)
    }

    /// Whether a file may be the leftover of a compaction: its header says so, or it is the beginning of such a header,
    /// or zeros because the power was lost before the data reached the disk.
    private static func isCompaction(_ file: StorageFile, seed: UInt64) throws -> Bool {
        let whole = FileHeader(seed: 0).bytes
        let bytes = try file.bytes(whole.count, at: 0)
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        // The new seed of the file may be cut off.
        guard bytes.count == whole.count else { return whole[..<16].starts(with: bytes.prefix(16)) }
        let header = try? bytes.withUnsafeBytes { try FileHeader($0, path: file.path) }
        return header?.origin == seed
    }
}
