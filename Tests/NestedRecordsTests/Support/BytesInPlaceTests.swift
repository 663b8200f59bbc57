import Foundation
import Testing

@testable import NestedRecords

/// Reading bytes where they are stored.
@Suite struct BytesInPlaceTests {
    private static let positions = Array(-9...30) + [.min, .min + 1, .max - 7, .max - 1, .max]

    private func makeBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 200 + 37 * $0) } }

    @Test(arguments: [0, 1, 3, 4, 7, 8, 9, 20])
    func nothingBeyondTheBytesIsRead(_ count: Int) {
        let stored = makeBytes(count)
        stored.withBytesInPlace { bytes in
            for position in Self.positions {
                let rest = (0...count).contains(position) ? Array(stored[position...]) : nil
                #expect(bytes.byte(at: position) == rest?.first)
                let word = rest.flatMap { $0.count < 8 ? nil : UInt64(bytes: $0[..<8]) }
                #expect(bytes.number(UInt64.self, at: position) == word)
                let half = rest.flatMap { $0.count < 4 ? nil : UInt64(bytes: $0[..<4] + [0, 0, 0, 0]) }
                #expect(bytes.number(UInt32.self, at: position).map(UInt64.init) == half)
                for length in Self.positions {
                    let part = rest.flatMap { (0...$0.count).contains(length) ? Array($0.prefix(length)) : nil }
                    #expect(bytes.part(at: position, count: length).map { Array($0) } == part)
                }
            }
            #expect(Array(bytes) == stored)
            #expect(bytes.map { $0 } == stored)
        }
    }

    @Test func noBytesAreLikeBytesOfAnEmptyArray() {
        let none = BytesInPlace()
        #expect(none.isEmpty && none.byte(at: 0) == nil && none.string?.isEmpty == true && none.data.isEmpty)
        #expect([UInt8]().withBytesInPlace { $0.hasSameBytes(as: none) && !$0.isBefore(none) })
        #expect(none.part(at: 0, count: 0)?.isEmpty == true)
    }

    @Test(arguments: 0...20)
    func bytesCompareAsTheirElementsDo(_ count: Int) {
        let first = makeBytes(count)
        var others = [first, first + [0], Array(first.dropLast())]
        for position in first.indices {
            for change in [1, 0x80] as [UInt8] {
                var other = first
                other[position] ^= change
                others.append(other)
            }
        }
        // From addresses that are no multiple of eight, too.
        for shift in 0..<2 {
            let stored = Array(repeating: 7, count: shift) + first
            stored.withBytesInPlace { bytes in
                let bytes = bytes.part(shift..<bytes.count)
                for other in others {
                    other.withBytesInPlace {
                        #expect(bytes.hasSameBytes(as: $0) == (first == other))
                        #expect(bytes.isBefore($0) == first.lexicographicallyPrecedes(other))
                        #expect($0.isBefore(bytes) == other.lexicographicallyPrecedes(first))
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "", "a", "fifteen bytes..", "sixteen bytes...", "日本", "a string with e\u{301} and \u{1F600} in it",
    ])
    func stringsAreReadFromTheirBytes(_ text: String) {
        text.withBytesInPlace { bytes in
            #expect(bytes.string.map { Array($0.utf8) } == Array(text.utf8))
            #expect(Array(bytes.repairedString.utf8) == Array(text.utf8))
            #expect(bytes.data == Data(text.utf8))
            #expect(text.hasSameBytes(as: bytes))
        }
        var appended: [UInt8] = [7]
        appended.append(utf8Of: text)
        #expect(appended == [7] + Array(text.utf8))
    }

    @Test(arguments: [
        [0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array("sixteen bytes...".utf8) + [0x80],
    ])
    func invalidUTF8IsNotAString(_ stored: [UInt8]) {
        #expect(stored.withBytesInPlace { $0.string } == nil)
        #expect(stored.withBytesInPlace { $0.repairedString } == String(decoding: stored, as: UTF8.self))
    }

    @Test func bytesOfOtherCollectionsAreTheSame() {
        let stored = makeBytes(20)
        #expect(Data(stored).withBytesInPlace { Array($0) } == stored)
        #expect(stored[3..<9].withBytesInPlace { Array($0) } == Array(stored[3..<9]))
        #expect(stored.withBytesInPlace { $0.firstPosition(of: stored[5], from: 2) } == 5)
        #expect(stored.withBytesInPlace { $0.firstPosition(of: stored[5], from: 6) } == nil)
    }

    @Test(arguments: [0, 1, 9, 10, 35, 36, 1_295, 1_296, UInt64.max])
    func numberFollowsAStringInBase36(_ number: UInt64) {
        for start in ["", "3-w-", "a longer start of ü-"] {
            #expect(String(start, base36: number) == start + String(number, radix: 36))
        }
    }

    @Test func positionsOutOfRangeEndTheProgram() async {
        await #expect(processExitsWith: .failure) { [1, 2].withBytesInPlace { _ = $0[2] } }
        await #expect(processExitsWith: .failure) { [1, 2].withBytesInPlace { _ = $0.part(1..<3) } }
    }
}
