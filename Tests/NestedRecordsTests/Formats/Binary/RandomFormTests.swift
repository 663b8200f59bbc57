import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct RandomFormTests {
    private static let blocks = Sweep.some(1, of: 0..<20 as Range<UInt64>)
    private static let casesPerBlock: UInt64 = 200

    @Test(arguments: blocks) func randomRecordsLoseNothing(_ block: UInt64) throws {
        var writer = RecordWriter()
        var reader = RecordReader()
        for seed in block * Self.casesPerBlock..<(block + 1) * Self.casesPerBlock {
            var random = RandomRecord(seed: seed)
            let record = try random.record()
            let bytes = try BinaryForm.bytes(of: record, by: &writer)
            let read = try BinaryForm.record(bytes, by: &reader)
            #expect(read.isIdentical(to: record), "seed \(seed)")
            #expect(read.fields.map(\.name).elementsEqual(record.fields.map(\.name)), "seed \(seed)")
            // The second time both know all names.
            #expect(try BinaryForm.bytes(of: read, by: &writer) == bytes, "seed \(seed)")
            #expect(try BinaryForm.record(bytes, by: &reader).isIdentical(to: record), "seed \(seed)")
        }
    }

    /// Some records of moderate size.
    private static func makeForms() throws -> [[UInt8]] {
        try Sweep.some(5, of: 0..<40 as Range<UInt64>).map { seed in
            var random = RandomRecord(seed: 1_000_000 + seed)
            return try BinaryForm.bytes(of: try random.record())
        }.filter { $0.count < 1_000 } + [RecordFormTests.golden]
    }

    /// Reads bytes that may be anything: the result is an error inside of them, or a record with these very bytes.
    private func checkReading(_ bytes: [UInt8], by reader: inout RecordReader) throws {
        do {
            let record = try BinaryForm.record(bytes, by: &reader)
            #expect(try BinaryForm.bytes(of: record) == bytes)
        } catch let error as RecordFormatError {
            #expect((0...bytes.count).contains(error.offset), "\(error)")
        }
    }

    @Test func everyTruncationIsRefused() throws {
        var reader = RecordReader()
        for form in try Self.makeForms() {
            for count in 0..<form.count {
                let error = try #require(throws: RecordFormatError.self) {
                    try BinaryForm.record(Array(form.prefix(count)), by: &reader)
                }
                #expect(error.code == .truncated, "\(count) of \(form.count) bytes: \(error)")
                #expect(error.offset <= count)
            }
        }
    }

    @Test func everyFlippedBitGivesAnErrorOrTheRecordWithTheseBytes() throws {
        var reader = RecordReader()
        for form in try Self.makeForms() {
            for bit in Sweep.some(200, of: 0..<form.count * 8) {
                var bytes = form
                bytes[bit / 8] ^= 1 << (bit % 8)
                try checkReading(bytes, by: &reader)
            }
        }
    }

    @Test(arguments: Sweep.some(1, of: 0..<8 as Range<UInt64>)) func randomBytesGiveAnErrorOrTheRecordWithTheseBytes(
        seed: UInt64
    ) throws {
        var generator = SplitMix64(seed: seed)
        var reader = RecordReader()
        for _ in 0..<Sweep.count(500, whole: 2_000) {
            // Small numbers are kinds and lengths, so that much of it can be read.
            let bytes = (0..<generator.pick([3, 20, 200])).map { _ in
                UInt8.random(in: generator.pick([0...3, 0...15, 0...255]), using: &generator)
            }
            try checkReading(BinaryForm.form(bytes), by: &reader)
            try checkReading(BinaryForm.form(value: bytes), by: &reader)
            try checkReading(bytes, by: &reader)
        }
    }
}
