@testable import NestedRecords
@testable import NestedRecordsFile

/// The bytes of the fuzzer, and their changes before they become a file.
///
/// No fuzzer guesses a checksum: without repairs it would reach little but the first check. The recipe is two bytes,
/// ``repairs`` and ``actions``, the head, both states, and the blocks; the gaps between them are left out.
struct FileRecipe {
    struct Repairs: OptionSet {
        let rawValue: UInt8

        /// The bytes are the file itself, with its gaps.
        static let isWholeFile = Repairs(rawValue: 1)

        /// Lengths that exceed their container are cut to its end.
        static let lengths = Repairs(rawValue: 2)

        /// The checksums of entries.
        static let entries = Repairs(rawValue: 4)

        /// The counts, digests and checksums of blocks.
        static let blocks = Repairs(rawValue: 8)

        /// The checksums of the head and the states.
        static let head = Repairs(rawValue: 16)

        /// The states name no more bytes than the file has, and the last saved index.
        static let ends = Repairs(rawValue: 32)

        /// The slots of a saved index lead to entries.
        static let slots = Repairs(rawValue: 64)

        /// The slots are at the positions where their records are looked up.
        static let keys = Repairs(rawValue: 128)
    }

    struct Actions: OptionSet {
        let rawValue: UInt8

        static let compacts = Actions(rawValue: 1)
        static let closes = Actions(rawValue: 2)
        static let isRelaxed = Actions(rawValue: 4)
        static let compactsFirst = Actions(rawValue: 8)
    }

    let repairs: Repairs
    let actions: Actions

    /// The file, repaired as the recipe says.
    private(set) var file: [UInt8]

    private static let headerSize = 40

    init(_ input: UnsafeRawBufferPointer) {
        repairs = Repairs(rawValue: input.first ?? 0)
        actions = Actions(rawValue: input.dropFirst().first ?? 0)
        var rest = UnsafeRawBufferPointer(rebasing: input.dropFirst(2))[...]
        if repairs.contains(.isWholeFile) {
            file = Array(rest)
        } else {
            file = Array(repeating: 0, count: FileHeader.size)
            for (offset, size) in [(0, Self.headerSize)] + LogState.offsets.map({ ($0, LogState.size) }) {
                let part = rest.prefix(size)
                file.replaceSubrange(offset..<(offset + part.count), with: part)
                rest = rest.dropFirst(part.count)
            }
            file += rest
        }
        guard file.count >= FileHeader.size else { return }
        var repair = FileRepair(repairs, file)
        repair.run()
        file = repair.bytes
    }

    /// The recipe for a file, as an input of the fuzzer.
    static func bytes(for file: [UInt8], _ repairs: Repairs, _ actions: Actions) -> [UInt8] {
        var bytes = [repairs.rawValue, actions.rawValue]
        if repairs.contains(.isWholeFile) { return bytes + file }
        bytes += file[..<headerSize]
        for offset in LogState.offsets { bytes += file[offset..<(offset + LogState.size)] }
        return bytes + file[FileHeader.size...]
    }
}
