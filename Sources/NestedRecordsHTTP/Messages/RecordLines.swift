@_spi(Engines) import NestedRecords

/// Lines of records, with their number.
struct RecordLines {
    private var writer = RecordLineWriter()
    private(set) var count = 0

    mutating func add(_ record: Record) throws {
        try writer.write(record)
        count += 1
    }

    mutating func takeBytes() -> [UInt8] { writer.takeBytes() }
}
