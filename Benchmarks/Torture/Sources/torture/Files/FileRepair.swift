@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsFile

/// Repairs the parts of a file that no fuzzer can guess, each only on request.
///
/// It follows the article "The Record File", and not the code that writes such files.
struct FileRepair {
    private(set) var bytes: [UInt8]
    private let repairs: FileRecipe.Repairs
    private let seed: UInt64

    /// The entries so far.
    private var entries: [(offset: Int, length: Int, id: Record.ID?)] = []
    private var lastIndex = 0

    /// - Parameters:
    ///   - repairs: The parts to repair.
    ///   - bytes: A file that has a head.
    init(_ repairs: FileRecipe.Repairs, _ bytes: [UInt8]) {
        self.repairs = repairs
        self.bytes = bytes
        seed = bytes.withUnsafeBytes { $0.fixed(UInt64.self, at: 16) }
    }

    private func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        bytes.withUnsafeBytes { $0.fixed(Number.self, at: offset) }
    }

    private mutating func put(_ number: some FixedWidthInteger, at offset: Int) {
        bytes.withUnsafeMutableBytes { bytes in
            withUnsafeBytes(of: number.littleEndian) {
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: $0)
            }
        }
    }

    private func hash(_ range: Range<Int>, _ seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed) }
    }

    mutating func run() {
        repairBlocks()
        for offset in LogState.offsets {
            if repairs.contains(.ends) {
                put(min(number(UInt64.self, at: offset + 8), UInt64(bytes.count)), at: offset + 8)
                if number(UInt64.self, at: offset + 16) != 0 { put(UInt64(lastIndex), at: offset + 16) }
            }
            if repairs.contains(.head) { put(hash(offset..<(offset + 40), seed), at: offset + 40) }
        }
        if repairs.contains(.head) { put(hash(0..<32, 0), at: 32) }
    }

    private mutating func repairBlocks() {
        var offset = FileHeader.size
        while bytes.count - offset >= 48 {
            let start = offset + 48
            let rest = UInt64(bytes.count - start)
            if repairs.contains(.lengths), number(UInt64.self, at: offset + 8) > rest { put(rest, at: offset + 8) }
            let length = number(UInt64.self, at: offset + 8)
            guard length <= rest else { return }
            let end = start + Int(length)
            let kind = number(UInt32.self, at: offset)
            if [0x4348_524E, 0x4C42_524E].contains(kind) {
                // The copy of the header, which contains its seed, or the announcement of a long batch.
                let seed = kind == 0x4348_524E ? number(UInt64.self, at: offset + 16) : seed
                if repairs.contains(.blocks) { repairChecksum(of: offset, seed) }
                offset = start
                continue
            }
            let isIndex = kind == 0x4958_524E
            let (count, digest) =
                switch kind {
                case 0x4958_524E: repairIndex(start..<end)
                case 0x5348_524E: (max(0, (end - start - 16) / 16), hash(start..<end, seed))
                default: repairEntries(start..<end)
                }
            if isIndex { lastIndex = offset }
            if repairs.contains(.blocks) {
                put(UInt32(truncatingIfNeeded: count), at: offset + 4)
                put(digest, at: offset + 24)
                repairChecksum(of: offset, seed)
            }
            offset = end
        }
    }

    private mutating func repairChecksum(of offset: Int, _ seed: UInt64) {
        let place = UInt64(offset) &* 0x9E37_79B9_7F4A_7C15
        put(hash(offset..<(offset + 40), seed ^ place), at: offset + 40)
    }

    private mutating func repairEntries(_ range: Range<Int>) -> (count: Int, digest: UInt64) {
        var (offset, count, digest) = (range.lowerBound, 0, UInt64(0))
        while range.upperBound - offset > 8 {
            let rest = range.upperBound - offset - 8
            let length = Int(number(UInt32.self, at: offset))
            let end = offset + 8 + (length == 0 || length > rest ? rest : length)
            if repairs.contains(.lengths) { put(UInt32(end - offset - 8), at: offset) }
            if repairs.contains(.entries) {
                put(UInt32(truncatingIfNeeded: hash((offset + 8)..<end, seed)), at: offset + 4)
            }
            digest = (digest ^ UInt64(number(UInt32.self, at: offset + 4))) &* 0x9E37_79B1_85EB_CA87
            digest ^= digest >> 29
            let id = bytes.withUnsafeBytes { bytes in
                // A copied deletion begins with its number.
                let body = offset + (bytes[offset + 8] & 0x1F == 0x12 ? 17 : 9)
                return body < end
                    ? try? RecordReader.id(from: BytesInPlace(rebasing: bytes[body..<end])) : nil
            }
            entries.append((offset, end - offset, id))
            count += 1
            offset = end
        }
        return (count, digest)
    }

    private mutating func repairIndex(_ range: Range<Int>) -> (count: Int, digest: UInt64) {
        var types = TypeTable(seed: seed)
        var offset = range.lowerBound + 12
        if offset <= range.upperBound {
            for _ in 0..<number(UInt32.self, at: range.lowerBound + 8) {
                guard offset < range.upperBound, offset + Int(bytes[offset]) < range.upperBound else { break }
                let end = offset + 1 + Int(bytes[offset])
                types.add(String(decoding: bytes[(offset + 1)..<end], as: UTF8.self))
                offset = end
            }
        }
        let slots = stride(from: offset, through: range.upperBound - 16, by: 16)
            .filter { number(UInt64.self, at: $0 + 8) != 0 }
        var index = FileIndex()
        for slot in slots where !entries.isEmpty && repairs.contains(.slots) {
            let offset = EntryLocation.offset(number(UInt64.self, at: slot + 8))
            let entry = entries.first { $0.offset == offset } ?? entries[offset % entries.count]
            let place = EntryLocation.make(offset: entry.offset, length: entry.length)
            put(place, at: slot + 8)
            let key = entry.id.flatMap { types.key(of: $0) } ?? number(UInt64.self, at: slot)
            if repairs.contains(.keys) { put(key, at: slot) }
            index.insert(key, at: place)
        }
        if repairs.contains(.keys), index.count > 0, index.slots.count * 16 == range.upperBound - offset {
            bytes.replaceSubrange(offset..<range.upperBound, with: index.withBytes { Array($0) })
        }
        let start = min(offset, range.upperBound)
        return (slots.count, hash(start..<range.upperBound, hash(range.lowerBound..<start, seed)))
    }
}
