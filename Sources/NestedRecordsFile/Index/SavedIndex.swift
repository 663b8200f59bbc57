@_spi(Engines) import NestedRecords

/// An index in a record file: after the header of a block come the types with their names, then the slots.
struct SavedIndex {
    let index: FileIndex
    let types: TypeTable
    let liveBytes: Int
    let sequence: UInt64
    let end: Int

    /// The number of bytes written before each sync: a concurrent sync of a save in another file may have to wait for
    /// them.
    private static let pieceSize = 4 << 20

    static func write(
        _ index: FileIndex, _ types: TypeTable, liveBytes: Int, sequence: UInt64, durableEnd: Int,
        to file: StorageFile, at offset: Int
    ) throws -> Int {
        let names = names(of: types, liveBytes: liveBytes)
        return try index.withBytes { slots in
            let head = BlockHeader(
                .index, count: index.count, byteCount: names.count + slots.count, sequence: sequence,
                digest: digest(names, slots, seed: types.seed), durableEnd: durableEnd
            ).bytes(seed: types.seed, at: offset)
            try file.write(head + names, at: offset)
            // A long index that is not completed is recognized by its header, which must be on the disk first.
            if head.count + names.count + slots.count > BlockOutput.longestUnannounced { try file.sync() }
            for start in stride(from: 0, to: slots.count, by: pieceSize) {
                if start > 0 { try file.sync() }
                let piece = UnsafeRawBufferPointer(rebasing: slots[start..<min(start + pieceSize, slots.count)])
                try file.write(piece, at: offset + head.count + names.count + start)
            }
            return offset + head.count + names.count + slots.count
        }
    }

    private static func names(of types: TypeTable, liveBytes: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(fixed: UInt64(truncatingIfNeeded: liveBytes))
        bytes.append(fixed: UInt32(truncatingIfNeeded: types.names.count))
        for name in types.names {
            bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
            bytes += name.utf8
        }
        return bytes
    }

    private static func digest(_ names: [UInt8], _ slots: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        XXH64.hash(slots, seed: names.withUnsafeBytes { XXH64.hash($0, seed: seed) })
    }

}

extension SavedIndex {
    init?(_ file: StorageFile, _ seed: UInt64, at offset: Int, _ size: Int) throws {
        guard offset >= FileHeader.batchesStart, size - offset >= BlockHeader.size else { return nil }
        var window = BufferedReader(file: file, end: size)
        let head = try window.withBytes(BlockHeader.size, at: offset) { BlockHeader($0, seed: seed, at: offset) }
        let start = offset + BlockHeader.size
        guard let head, head.kind == .index, head.byteCount <= UInt64(size - start) else { return nil }
        end = start + Int(head.byteCount)
        guard let (names, liveBytes) = try Self.names(in: start..<end, &window), liveBytes <= UInt64(size) else {
            return nil
        }
        let slots = (start + names.count)..<end
        guard
            let index = try FileIndex(
                file, slots, count: Int(head.count), isWhole: { Self.digest(names, $0, seed: seed) == head.digest })
        else { return nil }
        self.index = index
        var types = TypeTable(seed: seed)
        var position = 12
        while position < names.count {
            let end = position + 1 + Int(names[position])
            guard types.add(String(decoding: names[(position + 1)..<end], as: UTF8.self)) != nil else { return nil }
            position = end
        }
        self.types = types
        self.liveBytes = Int(clamping: liveBytes)
        sequence = head.sequence
    }

    /// The bytes before the slots, and the number of live bytes that they begin with.
    private static func names(
        in range: Range<Int>, _ window: inout BufferedReader
    ) throws -> (bytes: [UInt8], liveBytes: UInt64)? {
        guard range.count >= 12 else { return nil }
        let (liveBytes, count) = try window.withBytes(12, at: range.lowerBound) {
            ($0.fixed(UInt64.self, at: 0), $0.fixed(UInt32.self, at: 8))
        }
        var end = range.lowerBound + 12
        for _ in 0..<count {
            guard end < range.upperBound else { return nil }
            end += 1 + Int(try window.withBytes(1, at: end) { $0[0] })
        }
        guard end <= range.upperBound else { return nil }
        return (try window.withBytes(end - range.lowerBound, at: range.lowerBound) { Array($0) }, liveBytes)
    }
}
