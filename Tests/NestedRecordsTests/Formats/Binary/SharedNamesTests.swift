import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite struct SharedNamesTests {
    private static func address(_ names: [String]) -> UnsafeRawPointer? {
        names.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }

    private static func makeRecord(_ number: Int, names: [String]) throws -> Record {
        try Record(
            id: Record.ID(type: "A", name: "\(number)"),
            fields: Record.Fields(names.map { ($0, .int(Int64(number))) } + [("map", .map(["x": .null, "y": .null]))]))
    }

    @Test(arguments: [1, 13, 40]) func recordsOfOneShapeShareTheirNames(count: Int) throws {
        let names = (0..<count).map { "field\($0)" }
        var reader = RecordReader()
        let records = try (0..<100).map {
            try BinaryForm.record(BinaryForm.bytes(of: Self.makeRecord($0, names: names)), by: &reader)
        }
        #expect(Set(records.map { Self.address($0.fields.names) }).count == 1)
        let maps = records.compactMap { record -> Record.Fields? in
            if case .map(let map)? = record["map"] { map } else { nil }
        }
        #expect(maps.count == 100)
        #expect(Set(maps.map { Self.address($0.names) }).count == 1)
        #expect(records[99]["field\(count - 1)"] == .int(99))
        #expect(records[99].fields.shape?.list.positions?.count == (count == 40 ? 41 : nil))
    }

    @Test func changeOfOneRecordLeavesTheOthersNames() throws {
        var reader = RecordReader()
        let bytes = try BinaryForm.bytes(of: Self.makeRecord(1, names: ["a", "b"]))
        var first = try BinaryForm.record(bytes, by: &reader)
        first["new"] = .null
        first["a"] = nil
        let second = try BinaryForm.record(bytes, by: &reader)
        #expect(second.fields.map(\.name) == ["a", "b", "map"])
    }

    /// More shapes, and more bytes of names, than are kept.
    @Test func namesInEverNewCombinationsAreReadAndWrittenRight() throws {
        var reader = RecordReader()
        var writer = RecordWriter()
        for round in 0..<2 {
            for number in 0..<3_000 {
                let record = try Self.makeRecord(number, names: (0...number % 5).map { "\(number)-\($0)" })
                let read = try BinaryForm.record(BinaryForm.bytes(of: record, by: &writer), by: &reader)
                #expect(read.isIdentical(to: record), "\(number) in round \(round)")
            }
        }
    }

    @Test func longBlockOfNamesIsReadAndWritten() throws {
        let names = (0..<1_000).map { "a long name of a field \($0)" }
        let record = try Self.makeRecord(1, names: names)
        var reader = RecordReader()
        var writer = RecordWriter()
        for _ in 1...2 {
            let bytes = try BinaryForm.bytes(of: record, by: &writer)
            #expect(bytes.count > 20_000)
            let read = try BinaryForm.record(bytes, by: &reader)
            #expect(read == record)
            #expect(read.fields.map(\.name) == record.fields.map(\.name))
        }
    }

    @Test func writerDoesNotTakeChangedNamesForThoseItWrote() throws {
        var writer = RecordWriter()
        var record = try Self.makeRecord(1, names: ["a", "b"])
        for number in 0..<Sweep.count(40, whole: 200) {
            let read = try BinaryForm.record(BinaryForm.bytes(of: record, by: &writer))
            #expect(read.isIdentical(to: record))
            record["a\(number)"] = .int(Int64(number))
            record["b"] = nil
        }
    }

    /// Only code inside the library could make such fields; they must not be lost in a file.
    @Test(arguments: [
        (["a", ""], "", "a field's name must not be empty"),
        (["é", "b", "e\u{301}"], "e\u{301}", "two fields have this name"),
        ((0..<20).map { "\($0)" } + ["7"], "7", "two fields have this name"),
    ])
    func namesThatCannotBeReadBackAreNotWritten(names: [String], fault: String, reason: String) throws {
        let fields = Record.Fields(names: names, values: names.map { _ in .null })
        let record = Record(id: try Record.ID("A/b"), checkedFields: fields)
        var writer = RecordWriter()
        for _ in 1...2 {
            let error = #expect(throws: RecordError.self) { try BinaryForm.bytes(of: record, by: &writer) }
            guard error?.code == .invalidKey, let key = error?.key, let found = error?.reason,
                let place = error?.context
            else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(key.utf8.elementsEqual(fault.utf8))
            #expect(found == reason)
            #expect(place.record == record.id)
        }
    }

    @Test func marksInARowAreWrittenUpToTheLimit() throws {
        let longest = String(repeating: "\u{301}", count: BinaryFormat.mostMarksInARow)
        let good = try Flat.record("A/b", ["f": .map([longest: .null, "x\(longest)": .null])])
        #expect(try BinaryForm.record(BinaryForm.bytes(of: good)).isIdentical(to: good))
        let bad = try Flat.record("A/b", ["f": .map([longest + "\u{301}": .null])])
        let error = #expect(throws: RecordError.self) { try BinaryForm.bytes(of: bad) }
        #expect(error?.code == .invalidKey)
        #expect(error?.reason == "it has more than 1000 combining marks in a row")
        #expect(error?.context.field == "f")
    }
}
