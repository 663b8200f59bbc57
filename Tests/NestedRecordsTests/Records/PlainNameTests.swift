import Testing

@testable import NestedRecords

struct PlainNameTests {
    @Test(arguments: 0...300)
    func nameOfEachLengthIsPlainAsLongAsAllBytesAre(length: Int) {
        let name = String(repeating: "~ aZ", count: 75).prefix(length)
        #expect(String(name).foldPlainBytes(into: 1).isPlain == (1...255).contains(length))
        #expect(Array(name.utf8).withBytesInPlace { $0.isPlainName } == (1...255).contains(length))
    }

    @Test(arguments: [1, 2, 7, 8, 9, 15, 16, 17, 36, 255])
    func oneOtherByteAnywhereIsSeen(length: Int) {
        let others: [UInt8] = [0, 1, 0x0A, 0x1F, 0x7F]
        for other in others {
            for position in 0..<length {
                var bytes = [UInt8](repeating: 0x20 + UInt8(length % 95), count: length)
                bytes[position] = other
                #expect(!String(decoding: bytes, as: UTF8.self).foldPlainBytes(into: 1).isPlain)
                #expect(!bytes.withBytesInPlace { $0.isPlainName })
            }
        }
        #expect(!"\(String(repeating: "a", count: length))é".foldPlainBytes(into: 1).isPlain)
    }

    @Test(arguments: ["", "a", "seven c", "eight ch", "a name of more bytes", "é", "日本語の名前"])
    func hashIsTheSameWithAndWithoutLooking(name: String) {
        #expect(name.foldPlainBytes(into: 42).hash == name.foldBytes(into: 42))
    }
}
