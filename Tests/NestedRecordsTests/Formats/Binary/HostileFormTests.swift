import Testing

@_spi(Engines) @testable import NestedRecords

/// Bytes made by hand to be refused.
@Suite(.timeLimit(.minutes(60))) struct HostileFormTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let error: RecordFormatError

        init(
            _ description: String, _ bytes: [UInt8], _ code: RecordFormatError.Code, at offset: Int,
            number: Int? = nil, reason: String? = nil, name: String? = nil
        ) {
            (testDescription, self.bytes) = (description, bytes)
            error = RecordFormatError(code, at: offset, number: number, reason: reason, repeatedName: name)
        }

        init(
            _ description: String, value: [UInt8], _ code: RecordFormatError.Code, at offset: Int,
            number: Int? = nil, reason: String? = nil, name: String? = nil
        ) {
            self.init(
                description, BinaryForm.form(value: value), code, at: BinaryForm.valueOffset + offset, number: number,
                reason: reason, name: name)
        }
    }

    private static let huge: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
    private static let infinity: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF0, 0x7F]
    private static let ninetyOne: [UInt8] = [0, 0, 0, 0, 0, 0xC0, 0x56, 0x40]
    private static let zero: [UInt8] = Array(repeating: 0, count: 8)
    private static let asset = [19] + Array("NestedRecords.Asset".utf8) + [64] + Array(repeating: 0x61, count: 64)
    private static let control = "the name has a control character"

    static let records: [Case] = [
        Case("nothing", [], .truncated, at: 0),
        Case("another version", [2, 1, 0x41, 1, 0x62, 0, 0], .unknownVersion, at: 0, number: 2),
        Case("no type", [1, 0, 1, 0x62, 0, 0], .invalidID, at: 1, reason: "the type is empty"),
        Case(
            "a type of digits", [1, 1, 0x31, 1, 0x62, 0, 0],
            .invalidID, at: 1, reason: "the type does not begin with an ASCII letter"),
        Case("a type that is no text", [1, 2, 0x41, 0xFF, 1, 0x62, 0, 0], .invalidUTF8, at: 2),
        Case("no name", [1, 1, 0x41, 0, 0, 0], .invalidID, at: 3, reason: "the name is empty"),
        Case("a name with a line feed", [1, 1, 0x41, 1, 0x0A, 0, 0], .invalidID, at: 3, reason: control),
        Case("a name that is no text", [1, 1, 0x41, 2, 0xC0, 0x80, 0, 0], .invalidUTF8, at: 4),
        Case("a name beyond the end", [1, 1, 0x41, 0xFF, 0x62, 0, 0], .truncated, at: 4),
        Case("half metadata", [1, 1, 0x41, 1, 0x62, 2, 0], .unknownMetadataMark, at: 5, number: 2),
        Case("a byte too many", BinaryForm.form([0, 0]), .trailingBytes, at: 7, number: 1),
        Case("a field without a name", BinaryForm.form([1, 0, 0]), .emptyFieldName, at: 6),
        Case("a name out of its block", BinaryForm.form([2, 3, 0x61, 0, 0]), .truncated, at: 7),
        Case("one name twice", BinaryForm.form([4, 1, 0x61, 1, 0x61, 0, 0]), .repeatedFieldName, at: 9, name: "a"),
        Case(
            "one name in two spellings",
            BinaryForm.form([7, 2, 0xC3, 0xA9, 3, 0x65, 0xCC, 0x81, 0, 0]), .repeatedFieldName, at: 10, name: "e\u{301}"
        ),
        Case("names without values", BinaryForm.form([2, 1, 0x61]), .truncated, at: 9),
        Case("a huge block of names", BinaryForm.form(huge), .truncated, at: 6),
        Case("names that are no text", BinaryForm.form([2, 1, 0x80, 0]), .invalidUTF8, at: 8),
    ]

    static let values: [Case] = [
        Case("an unknown kind", value: [17], .unknownKind, at: 0, number: 17),
        Case("an asset of another record", value: [16, 1, 0x41, 1, 0x62, 0, 0, 0], .invalidAsset, at: 1),
        Case("an asset without an end", value: [16] + asset, .truncated, at: 86),
        Case("an asset of a negative size", value: [16] + asset + huge + [0, 0], .invalidAsset, at: 1),
        Case("an asset with an unknown mark", value: [16] + asset + [5, 2, 0], .invalidAsset, at: 87),
        Case("a number with a byte too many", value: [3, 0x80, 0], .invalidNumber, at: 1),
        Case("a number beyond 64 bits", value: [3] + huge.dropLast() + [2], .invalidNumber, at: 1),
        Case("an endless number", value: [3] + Array(repeating: 0x80, count: 50), .invalidNumber, at: 1),
        Case("a length with a byte too many", value: [5, 0x81, 0, 0x61], .invalidNumber, at: 1),
        Case("a huge text", value: [5] + huge, .truncated, at: 1),
        Case("huge bytes", value: [7] + huge, .truncated, at: 1),
        Case("a text that is not UTF-8", value: [5, 3, 0xED, 0xA0, 0x80], .invalidUTF8, at: 2),
        Case(
            "a text with the sign of a repair and a fault", value: [5, 4, 0xEF, 0xBF, 0xBD, 0xFF], .invalidUTF8, at: 2),
        Case("an infinite latitude", value: [8] + infinity + zero, .invalidLocation, at: 1),
        Case("a latitude beyond the pole", value: [8] + ninetyOne + zero, .invalidLocation, at: 1),
        Case("a huge list", value: [9] + huge, .truncated, at: 1),
        Case("a list of more values than bytes", value: [9, 3, 0, 0], .truncated, at: 1),
        Case("lists that claim the same bytes", value: [9, 4, 9, 4, 0, 0, 0, 0], .truncated, at: 3),
        Case("a map that claims the bytes of a list", value: [9, 4, 10, 2, 1, 0x61, 0, 0], .truncated, at: 3),
        Case("a huge map", value: [10] + huge, .truncated, at: 1),
        Case("a map with one name twice", value: [10, 2, 0, 0, 0, 0], .repeatedFieldName, at: 3, name: ""),
        Case("a map with names without values", value: [9, 2, 10, 2, 0, 0x00, 0], .repeatedFieldName, at: 5, name: ""),
        Case("a reference to nothing", value: [12, 0, 1, 0x61], .invalidID, at: 1, reason: "the type is empty"),
        Case("a value too few", value: [], .truncated, at: 0),
    ]

    private func expect(_ error: RecordFormatError, _ malformed: Case) {
        #expect(error.code == malformed.error.code)
        #expect(error.offset == malformed.error.offset)
        #expect(error.number == malformed.error.number)
        #expect(error.reason == malformed.error.reason)
        #expect(error.repeatedName == malformed.error.repeatedName)
    }

    @Test(arguments: records) func malformedRecordIsRefused(_ malformed: Case) throws {
        let error = try #require(throws: RecordFormatError.self) { try BinaryForm.record(malformed.bytes) }
        expect(error, malformed)
    }

    @Test(arguments: values) func malformedValueIsRefusedWithItsField(_ malformed: Case) throws {
        let error = try #require(throws: RecordFormatError.self) { try BinaryForm.record(malformed.bytes) }
        expect(error, malformed)
        #expect(error.recordID?.description == "A/b")
        #expect(error.field == (malformed.testDescription == "a value too few" ? nil : "f"))
    }

    @Test func errorSaysWhatAndWhereInOneLine() throws {
        let bytes = BinaryForm.form([4, 1, 0x61, 1, 0x66] + [0, 9, 1, 0xFE])
        let error = try #require(throws: RecordFormatError.self) { try BinaryForm.record(bytes) }
        #expect("\(error)" == "there is no kind 254 of values at byte 14 of record A/b, field \"f\"")
    }

    @Test func readerThatRefusedReadsOnAsBefore() throws {
        var reader = RecordReader()
        for malformed in Self.records + Self.values {
            _ = try? BinaryForm.record(malformed.bytes, by: &reader)
            #expect(try BinaryForm.record(RecordFormTests.golden, by: &reader) == RecordFormTests.makeGoldenRecord())
        }
    }

    /// An unused reader must not take its memory of no type for one that it knows.
    @Test(arguments: [[1, 0, 1, 0x62, 0, 0], BinaryForm.form(value: [12, 0, 1, 0x61])] as [[UInt8]])
    func emptyTypeIsRefusedByANewReader(bytes: [UInt8]) throws {
        let error = try #require(throws: RecordFormatError.self) { try BinaryForm.record(bytes) }
        #expect(error.code == .invalidID && error.reason == "the type is empty")
    }

    @Test func namesThatTakeQuadraticTimeAreRefused() throws {
        let marks = String(repeating: "\u{301}\u{323}", count: 200_000)
        var bytes = GrowingBytes()
        var block = GrowingBytes()
        block.append(text: marks)
        bytes.append(varint: UInt64(block.count))
        bytes.append(text: marks)
        let form = BinaryForm.form(bytes.withBytes { Array($0) } + [0])
        let error = try #require(throws: RecordFormatError.self) { try BinaryForm.record(form) }
        #expect(error.code == .tooManyMarks)
        #expect(error.offset == 9)
    }
}
