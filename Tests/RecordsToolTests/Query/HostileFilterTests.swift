@_spi(Engines) import NestedRecords
import TestSupport
import Testing

@testable import records

/// Texts that no one writes by hand are answered, or refused by a limit.
@Suite struct HostileFilterTests {
    private func parse(_ text: String) throws -> RecordFilter {
        try FilterParser.parse(FilterText(text, owner: "text"), ofTypes: ["A"]).filter
    }

    private let record = try? ToolFolder.record(#"{"id":"A/1","fields":{"n":1}}"#)

    @Test(arguments: Sweep.some(1, of: [10_000, 100_000])) func bracketsMayBeNestedWithoutLimit(_ depth: Int) throws {
        let text = String(repeating: "(", count: depth) + "n = 1" + String(repeating: ")", count: depth)
        #expect(try parse(text) == .compare("n", .equal, 1))
        #expect(throws: UsageError.self) { try parse(String(text.dropLast())) }
        #expect(throws: UsageError.self) { try parse(text + ")") }
    }

    @Test func deepFilterIsAnswered() throws {
        let record = try #require(record)
        for (open, close) in [("n = 1 and (", ")"), ("n = 2 or (", ")"), ("not (n = 2 or ", ")"), ("not ", "")] {
            let depth = Sweep.count(2_000, whole: 10_000)
            let text = String(repeating: open, count: depth) + "n = 1" + String(repeating: close, count: depth)
            #expect(try parse(text).matches(record) == true)
        }
    }

    @Test func longFilterIsAnswered() throws {
        let text = (0..<5_000).map { "n = \($0)" }.joined(separator: " or ")
        #expect(try parse(text).matches(try #require(record)))
    }

    @Test func filterWithTooManyTermsIsRefused() async throws {
        let filter = try parse(String(repeating: "not ", count: 1_000) + "n = 1")
        await #expect(throws: RecordError.self) {
            try await InMemoryRecordDatabase().count(RecordQuery("A", where: filter))
        }
    }

    @Test func referencesMayBeNested() throws {
        let text =
            String(repeating: "n refers to A where (", count: 10_000) + "n = 1" + String(repeating: ")", count: 10_000)
        #expect(try parse(text).terms.count == 10_001)
    }

    @Test func longListAndLongPathAreAnswered() throws {
        let record = try #require(record)
        #expect(try parse("n in (\((0..<20_000).map(String.init).joined(separator: ",")))").matches(record))
        let path = Array(repeating: "n", count: 20_000).joined(separator: ".")
        #expect(try !parse("\(path) exists").matches(record))
    }

    @Test(arguments: ["[", "{\"a\":"]) func deepJSONIsRefused(_ open: String) throws {
        let close = open == "[" ? "]" : "}"
        let text = "n = " + String(repeating: open, count: 10_000) + "1" + String(repeating: close, count: 10_000)
        #expect(throws: UsageError.self) { try parse(text) }
    }

    @Test func stringsMayHoldEverything() throws {
        let value = "\u{0}\u{1}'\"\\\n\u{202E}é\u{65}\u{301}\u{1F600}"
        let single = "'\(value.replacing("'", with: "''"))'"
        let double = #""\u0000\u0001'\"\\\n\u202E\#u{E9}e\u0301\uD83D\uDE00""#
        for text in [single, double] { #expect(try parse("n = \(text)") == .compare("n", .equal, .string(value))) }
        #expect(try parse("\(double).\(single) exists") == .exists(FieldPath([value, value])))
    }

    /// Every prefix and every change of a byte is read or refused, and never more than that.
    @Test func changedTextsAreReadOrRefused() throws {
        let text =
            #"not (a.'b c' in (1, "x\u0000", 2010-01-01) or c refers to B where (d within (1;2, 3;4) and e ~ f)) and g = {"$ref": "A/1"}"#
        let bytes = Array(text.utf8)
        var (readCount, refusedCount) = (0, 0)
        func count(_ bytes: some Sequence<UInt8>) throws {
            do {
                _ = try parse(String(decoding: Array(bytes), as: UTF8.self))
                readCount += 1
            } catch is UsageError {
                refusedCount += 1
            }
        }
        for position in bytes.indices {
            try count(bytes[..<position])
            for byte in [0x00, 0x0A, 0x20, 0x22, 0x27, 0x28, 0x29, 0x2C, 0x2E, 0x5C, 0x7B, 0x7D, 0x7F, 0xFF] as [UInt8]
            {
                var changed = bytes
                changed[position] = byte
                try count(changed)
            }
        }
        #expect(readCount > 0 && refusedCount > 0)
    }
}
