import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct BinaryQueryTests {
    /// The binary form of a record, with a string that is no UTF-8 in the field `z`.
    private func damagedBytes() throws -> [UInt8] {
        var writer = RecordWriter()
        let record = try Flat.record("Book/1", ["a": 1, "z": "damaged", "m": .map(["x": 2])])
        var bytes = try writer.bytes(of: record)
        let position = try #require(bytes.firstRange(of: Array("damaged".utf8))?.lowerBound)
        bytes[position] = 0xFF
        return bytes
    }

    private func page(_ query: RecordQuery, of bytes: [UInt8]) throws -> (locations: [UInt64], matchCount: Int) {
        var scan = try BinaryQueryScan(query, targets: [:])
        try bytes.withBytesInPlace { try scan.visit($0, at: 7) }
        return (scan.locations, scan.page(of: [], examinedElsewhere: 0).matchCount)
    }

    @Test func onlyTheFieldsThatAQueryNamesAreRead() throws {
        let bytes = try damagedBytes()
        let order = [RecordOrder("m.x"), RecordOrder(.recordName), RecordOrder(.creationDate)]
        let found = try page(
            RecordQuery("Book", where: .compare("a", .equal, 1) && .exists("m"), order: order), of: bytes)
        #expect(found.locations == [7] && found.matchCount == 1)
        #expect(try page(RecordQuery("Book", where: .exists("none")), of: bytes).matchCount == 0)
    }

    @Test(arguments: [
        RecordQuery("Book", where: .hasPrefix("z", "d")), RecordQuery("Book", order: [RecordOrder("z")]),
    ])
    func damageOfAFieldThatIsReadIsAnErrorWithTheField(_ query: RecordQuery) throws {
        let bytes = try damagedBytes()
        let error = #expect(throws: RecordFormatError.self) { try page(query, of: bytes) }
        #expect(error?.code == .invalidUTF8 && error?.field == "z" && error?.recordID?.description == "Book/1")
    }

    @Test func bytesThatEndEarlyAreAnError() throws {
        var writer = RecordWriter()
        let target = try Flat.reference("Book/2")
        let record = try Flat.record("Book/1", ["a": .list([1, target]), "m": .map(["x": target]), "n": 5])
        let bytes = try writer.bytes(of: record)
        for count in bytes.indices {
            let bytes = Array(bytes[..<count])
            #expect(throws: RecordFormatError.self) {
                try page(RecordQuery("Book", where: .compare("n", .equal, 5)), of: bytes)
            }
            var referrers = BinaryReferrers(to: [try Record.ID("Book/3")])
            #expect(throws: RecordFormatError.self) { try bytes.withBytesInPlace { try referrers.visit($0, at: 0) } }
        }
    }
}
