import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct RecordFormTests {
    /// The example of the article on the form.
    static let golden: [UInt8] = [
        0x01,  // version
        0x06, 0x53, 0x63, 0x68, 0x6F, 0x6F, 0x6C,  // "School"
        0x08, 0x68, 0x6F, 0x67, 0x77, 0x61, 0x72, 0x74, 0x73,  // "hogwarts"
        0x01,  // metadata
        0x02, 0x31, 0x37,  // change tag "17"
        0, 0, 0, 0, 0, 0, 0xF0, 0x3F,  // created 1 second after the reference date
        0, 0, 0, 0, 0, 0, 0x04, 0x40,  // modified 2.5 seconds after it
        0x17,  // 23 bytes of names
        0x04, 0x6E, 0x61, 0x6D, 0x65,  // "name"
        0x08, 0x64, 0x69, 0x72, 0x65, 0x63, 0x74, 0x6F, 0x72,  // "director"
        0x04, 0x74, 0x61, 0x67, 0x73,  // "tags"
        0x03, 0x62, 0x6F, 0x78,  // "box"
        0x05, 0x08, 0x48, 0x6F, 0x67, 0x77, 0x61, 0x72, 0x74, 0x73,  // text "Hogwarts"
        0x0C, 0x06, 0x50, 0x65, 0x72, 0x73, 0x6F, 0x6E, 0x01, 0x31,  // reference to Person/1
        0x09, 0x03,  // list of 3
        0x03, 0x03,  // integer -2
        0x03, 0xD8, 0x04,  // integer 300
        0x02,  // true
        0x0A, 0x02, 0x01, 0x61,  // map with the name "a"
        0x04, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F,  // double 1.5
    ]

    static func makeGoldenRecord() throws -> Record {
        try Record(
            id: Record.ID("School/hogwarts"),
            fields: [
                "name": .string("Hogwarts"), "director": Flat.reference("Person/1"),
                "tags": .list([.int(-2), .int(300), .bool(true)]), "box": .map(["a": .double(1.5)]),
            ],
            metadata: Record.Metadata(
                changeTag: "17", creationDate: Date(timeIntervalSinceReferenceDate: 1),
                modificationDate: Date(timeIntervalSinceReferenceDate: 2.5)))
    }

    @Test func exampleOfTheArticleIsWrittenByteByByte() throws {
        #expect(try BinaryForm.bytes(of: Self.makeGoldenRecord()) == Self.golden)
    }

    @Test func exampleOfTheArticleIsRead() throws {
        let record = try BinaryForm.record(Self.golden)
        #expect(record == (try Self.makeGoldenRecord()))
        #expect(record.fields.map(\.name) == ["name", "director", "tags", "box"])
    }

    /// Each kind of value, and its bytes.
    static func makeKinds() throws -> [(Record.Value, [UInt8])] {
        let id = try Record.ID("P/q")
        let idBytes: [UInt8] = [1, 0x50, 1, 0x71]
        let half: [UInt8] = [0, 0, 0, 0, 0, 0, 0xE0, 0x3F]
        return [
            (.null, [0]), (.bool(false), [1]), (.bool(true), [2]),
            (.int(0), [3, 0]), (.int(-1), [3, 1]), (.int(1), [3, 2]),
            (.int(.max), [3, 0xFE] + Array(repeating: 0xFF, count: 8) + [1]),
            (.int(.min), [3, 0xFF] + Array(repeating: 0xFF, count: 8) + [1]),
            (.double(0.5), [4] + half), (.double(-0.0), [4, 0, 0, 0, 0, 0, 0, 0, 0x80]),
            (.string(""), [5, 0]), (.string("é"), [5, 2, 0xC3, 0xA9]),
            (.date(Date(timeIntervalSinceReferenceDate: 0.5)), [6] + half),
            (.bytes(Data()), [7, 0]), (.bytes(Data([0xFF])), [7, 1, 0xFF]),
            (.location(try Location(latitude: 0.5, longitude: 0.5)), [8] + half + half),
            (.list([]), [9, 0]), (.list([.null]), [9, 1, 0]), (.map([:]), [10, 0]),
            (.map(["": .null, "x": .bool(true)]), [10, 3, 0, 1, 0x78, 0, 2]), (.serverTimestamp, [11]),
            (.reference(Record.Reference(to: id)), [12] + idBytes),
            (.reference(Record.Reference(to: id, isLink: true)), [13] + idBytes),
            (.reference(Record.Reference(to: id, action: .deleteSelf)), [14] + idBytes),
            (.reference(Record.Reference(to: id, action: .deleteSelf, isLink: true)), [15] + idBytes),
        ]
    }

    @Test func everyKindOfValueHasItsBytes() throws {
        for (value, bytes) in try Self.makeKinds() {
            let record = try Flat.record("A/b", ["f": value])
            #expect(try BinaryForm.bytes(of: record) == BinaryForm.form(value: bytes), "\(value)")
            let read = try BinaryForm.record(BinaryForm.form(value: bytes))
            #expect(read.isIdentical(to: record), "\(value)")
        }
    }

    @Test(arguments: [0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0001, 0x7FF8_DEAD_BEEF_0000] as [UInt64])
    func notANumberKeepsItsBits(bits: UInt64) throws {
        let double = Double(bitPattern: bits)
        let record = try Flat.record(
            "A/b", ["d": .double(double), "t": .date(Date(timeIntervalSinceReferenceDate: double))])
        let read = try BinaryForm.record(BinaryForm.bytes(of: record))
        guard case (.double(let number)?, .date(let date)?) = (read["d"], read["t"]) else {
            Issue.record("\(read)")
            return
        }
        #expect(number.bitPattern == bits)
        #expect(date.timeIntervalSinceReferenceDate.bitPattern == bits)
    }

    @Test func idIsReadAndFoundWithoutTheRest() throws {
        let id = try Record.ID("School/hogwarts")
        let head = Array(Self.golden.prefix(17))
        #expect(try head.withBytesInPlace { try RecordReader.id(from: $0) } == id)
        var key = GrowingBytes()
        key.append(id)
        let keyBytes = key.withBytes { Array($0) }
        #expect(try head.withBytesInPlace { Array(try RecordReader.idBytes(in: $0)) } == keyBytes)
        for count in 0..<17 {
            let cut = Array(head.prefix(count))
            #expect(throws: RecordFormatError.self) { try cut.withBytesInPlace { try RecordReader.id(from: $0) } }
            #expect(throws: RecordFormatError.self) {
                try cut.withBytesInPlace { try RecordReader.idBytes(in: $0).count }
            }
        }
    }
}
