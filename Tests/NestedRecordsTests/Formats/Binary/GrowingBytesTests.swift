import Testing

@testable import NestedRecords

@Suite struct GrowingBytesTests {
    @Test func bytesStayWhileTheyGrow() {
        var bytes = GrowingBytes(capacity: 1)
        var expected: [UInt8] = []
        for number in 0..<2_000 as Range<UInt64> {
            bytes.append(byte: UInt8(truncatingIfNeeded: number))
            bytes.append(word: number)
            bytes.append(text: "é")
            expected.append(UInt8(truncatingIfNeeded: number))
            expected += (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            expected += [2, 0xC3, 0xA9]
        }
        #expect(bytes.count == expected.count)
        #expect(bytes.withBytes { $0.elementsEqual(expected) })
    }

    @Test(
        arguments: [
            (0, [0]), (0x7F, [0x7F]), (0x80, [0x80, 1]), (300, [0xAC, 2]), (1 << 14 - 1, [0xFF, 0x7F]),
            (1 << 14, [0x80, 0x80, 1]),
            (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ] as [(UInt64, [UInt8])])
    func numberTakesAsFewBytesAsHoldIt(number: UInt64, form: [UInt8]) throws {
        var bytes = GrowingBytes()
        bytes.append(varint: number)
        #expect(bytes.withBytes { Array($0) } == form)
        let read = try form.withBytesInPlace { bytes in
            var cursor = ByteCursor(bytes)
            return try cursor.varint()
        }
        #expect(read == number)
    }

    @Test func truncatedBytesAreForgottenAndTheNextComeInTheirPlace() {
        var bytes = GrowingBytes()
        for byte in 1...3 as ClosedRange<UInt8> { bytes.append(byte: byte) }
        bytes.truncate(to: 5)
        bytes.truncate(to: 1)
        bytes.append(byte: 9)
        #expect(bytes.withBytes { Array($0) } == [1, 9])
    }

    @Test func numbersAreSetWhereBytesWere() {
        var bytes = GrowingBytes()
        for byte in 1...6 as ClosedRange<UInt8> { bytes.append(byte: byte) }
        bytes.set(0x0A0B_0C0D, at: 1)
        #expect(bytes.withBytes { Array($0) } == [1, 0x0D, 0x0C, 0x0B, 0x0A, 6])
    }
}
