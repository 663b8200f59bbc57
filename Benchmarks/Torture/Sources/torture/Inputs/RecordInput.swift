import Foundation

@_spi(Engines) @testable import NestedRecords

/// Bytes that are read as a record.
///
/// A record that was read must be written as the same bytes, and a reader that has read other records must return the
/// same as a new reader.
enum RecordInput {
    /// Reads an input.
    static func check(_ input: [UInt8]) {
        input.withBytesInPlace { input in
            var (reader, writer) = (RecordReader(), RecordWriter())
            let fresh = outcome(of: input, &reader, &writer)
            let used = outcome(of: input, &usedReader, &usedWriter)
            demand(fresh == used, "the same bytes are read in two ways: \(fresh.error), \(used.error)")
            if fresh.error.isEmpty { demand(fresh.bytes.elementsEqual(input), "the record has two forms") }
        }
    }

    /// The first inputs.
    static func seeds() throws -> [[UInt8]] {
        try records().map { record in
            var writer = RecordWriter()
            var bytes = GrowingBytes()
            try writer.append(record, metadata: record.metadata, to: &bytes)
            return bytes.withBytes { Array($0) }
        }
    }
}

private struct Outcome: Equatable {
    var bytes: [UInt8] = []
    var error = ""
}

private nonisolated(unsafe) var usedReader = RecordReader()
private nonisolated(unsafe) var usedWriter = RecordWriter()

private func outcome(
    of input: BytesInPlace, _ reader: inout RecordReader, _ writer: inout RecordWriter
) -> Outcome {
    do {
        let record = try reader.record(from: input)
        var bytes = GrowingBytes(capacity: 64)
        try writer.append(record, metadata: record.metadata, to: &bytes)
        let hasSameID = try RecordReader.id(from: input) == record.id
        demand(hasSameID, "reading only the ID gives another ID")
        return Outcome(bytes: bytes.withBytes { Array($0) })
    } catch let error as RecordFormatError {
        demand((0...input.count).contains(error.offset), "the offset of the error is outside: \(error)")
        return Outcome(error: "\(error)")
    } catch {
        fail("the record that was read cannot be written: \(error)")
    }
}

private func records() throws -> [Record] {
    let target = try Record.ID(type: "Person", name: "Ada")
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
    let scalars: [Record.Value] = [
        .null, .bool(true), .bool(false), .int(0), .int(-1), .int(.max), .int(.min), .double(.pi), .double(-0.0),
        .double(.nan), .string(""), .string("é漢👩‍👩‍👧‍👦"), .date(date), .bytes(Data([0, 255])), .serverTimestamp,
        .location(try Location(latitude: 57.05, longitude: -5.13)),
        .reference(Record.Reference(to: target)), .reference(Record.Reference(to: target, isLink: true)),
        .reference(Record.Reference(to: target, action: .deleteSelf)),
        .reference(Record.Reference(to: target, action: .deleteSelf, isLink: true)), .list([]), .map([:]),
    ]
    var deep = Record.Value.list(scalars)
    for level in 0..<12 { deep = level.isMultiple(of: 2) ? .map(["inner": deep, "": .null]) : .list([deep, .null]) }
    let metadata = Record.Metadata(changeTag: "17", creationDate: date, modificationDate: date)
    let wide = Record.Fields((0..<20).map { ("field\($0)", .int(Int64($0))) })
    return try scalars.map { try Record(id: target, fields: ["value": $0]) } + [
        Record(id: target), Record(id: target, fields: ["deep": deep], metadata: metadata),
        Record(id: target, fields: wide), Record(id: target, fields: ["map": .map(wide), "list": .list(scalars)]),
    ]
}
