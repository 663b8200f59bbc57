/// Writes field names, and keeps the result for the next record of the same shape.
struct WrittenNames {
    enum Outcome {
        case valid, withEmptyName
        case unreadable(String, reason: String)
    }

    private struct Block {
        /// Retained, so that no other names get the address.
        let names: FieldNames
        let bytes: [UInt8]
        let hasEmptyName: Bool
    }

    private static let placesExponent = 7

    /// Longer blocks are not kept: their names are data, and rarely repeat.
    private static let longestBlock = 2_048

    private var blocks = ContiguousArray<Block?>(repeating: nil, count: 1 << WrittenNames.placesExponent)

    /// Appends the block of these names: its length in bytes, then each name after its own length.
    ///
    /// Names that could not be read back are not written.
    @inline(__always)
    mutating func append(_ names: FieldNames?, to bytes: inout GrowingBytes) -> Outcome {
        guard let names else {
            bytes.append(byte: 0)
            return .valid
        }
        let product = UInt64(UInt(bitPattern: ObjectIdentifier(names))) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(truncatingIfNeeded: product &>> (64 - Self.placesExponent))
        if let block = blocks[place], block.names === names {
            block.bytes.withBytesInPlace { bytes.append(contentsOf: $0) }
            return block.hasEmptyName ? .withEmptyName : .valid
        }
        return appendUnknown(names, place: place, to: &bytes)
    }

    @inline(never)
    private mutating func appendUnknown(_ shape: FieldNames, place: Int, to bytes: inout GrowingBytes) -> Outcome {
        let names = shape.names
        if let name = names.first(where: \.hasTooManyMarks) {
            let reason = "it has more than \(BinaryFormat.mostMarksInARow) combining marks in a row"
            return .unreadable(name, reason: reason)
        }
        if let repetition = names.firstRepetition {
            return .unreadable(names[repetition], reason: "two fields have this name")
        }
        let start = bytes.count
        bytes.append(varint: UInt64(truncatingIfNeeded: names[...].lengthAsBlock))
        for name in names { bytes.append(text: name) }
        let hasEmptyName = names.contains(where: \.isEmpty)
        if bytes.count - start <= Self.longestBlock {
            let copy = bytes.withBytes { Array($0[start...]) }
            blocks[place] = Block(names: shape, bytes: copy, hasEmptyName: hasEmptyName)
        }
        return hasEmptyName ? .withEmptyName : .valid
    }
}

extension ArraySlice<String> {
    var lengthAsBlock: Int {
        reduce(0) { sum, name in
            let length = name.utf8.count
            return sum + Swift.max(1, (Int.bitWidth - length.leadingZeroBitCount + 6) / 7) + length
        }
    }
}
