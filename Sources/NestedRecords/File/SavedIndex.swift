/// An index as it stands in a record file: behind the head of a block the types with their names, then the slots.
struct SavedIndex {
    let index: FileIndex
    let types: TypeNumbers
    let liveBytes: Int
    let sequence: UInt64

    /// The place behind the index.
    let end: Int

    /// The index as a block.
    static func block(
        _ index: FileIndex, _ types: TypeNumbers, liveBytes: Int, sequence: UInt64, durableEnd: Int, at offset: Int
    ) -> [UInt8] {
        var content: [UInt8] = []
        content.append(fixed: UInt64(truncatingIfNeeded: liveBytes))
        content.append(fixed: UInt32(truncatingIfNeeded: types.names.count))
        for name in types.names {
            content.append(UInt8(truncatingIfNeeded: name.utf8.count))
            content += name.utf8
        }
        content += index.bytes
        let digest = content.withUnsafeBytes { XXH64.hash($0, seed: types.seed) }
        let head = BlockHead(
            .index, count: index.count, byteCount: content.count, sequence: sequence, digest: digest,
            durableEnd: durableEnd)
        return head.bytes(seed: types.seed, at: offset) + content
    }

    /// Reads an index; nil if it is not whole.
    init?(_ file: StorageFile, _ seed: UInt64, at offset: Int, _ size: Int) throws {
        guard offset >= LogHead.size, size - offset >= BlockHead.size else { return nil }
        var window = FileWindow(file: file, end: size)
        let head = try window.withBytes(BlockHead.size, at: offset) { BlockHead($0, seed: seed, at: offset) }
        let start = offset + BlockHead.size
        guard let head, head.kind == .index, head.byteCount <= UInt64(size - start) else { return nil }
        let length = Int(head.byteCount)
        let parts = try window.withBytes(length, at: start) { bytes -> (FileIndex, TypeNumbers, UInt64)? in
            guard XXH64.hash(bytes, seed: seed) == head.digest else { return nil }
            return Self.parts(bytes, seed: seed, count: Int(head.count))
        }
        guard let parts, parts.2 <= UInt64(size) else { return nil }
        (index, types) = (parts.0, parts.1)
        liveBytes = Int(clamping: parts.2)
        sequence = head.sequence
        end = start + length
    }

    private static func parts(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, count: Int
    ) -> (FileIndex, TypeNumbers, UInt64)? {
        guard bytes.count >= 12 else { return nil }
        var types = TypeNumbers(seed: seed)
        var position = 12
        for _ in 0..<bytes.fixed(UInt32.self, at: 8) {
            guard position < bytes.count, position + Int(bytes[position]) < bytes.count else { return nil }
            let end = position + 1 + Int(bytes[position])
            types.add(String(decoding: bytes[(position + 1)..<end], as: UTF8.self))
            position = end
        }
        let slots = UnsafeRawBufferPointer(rebasing: bytes[position...])
        return FileIndex(slots, count: count).map { ($0, types, bytes.fixed(UInt64.self, at: 0)) }
    }
}
