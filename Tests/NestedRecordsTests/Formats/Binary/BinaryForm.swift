@_spi(Engines) @testable import NestedRecords

/// Short ways to and from the binary form, each with a writer and a reader that know nothing yet.
enum BinaryForm {
    static func bytes(of record: Record) throws -> [UInt8] {
        var writer = RecordWriter()
        return try bytes(of: record, by: &writer)
    }

    static func bytes(of record: Record, by writer: inout RecordWriter) throws -> [UInt8] {
        try writer.bytes(of: record)
    }

    static func record(_ bytes: [UInt8]) throws -> Record {
        var reader = RecordReader()
        return try record(bytes, by: &reader)
    }

    static func record(_ bytes: [UInt8], by reader: inout RecordReader) throws -> Record {
        // Memory of its own, of exactly this size, so that reading beyond it can be found.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        return try reader.record(from: UnsafeRawBufferPointer(memory))
    }

    /// The bytes of record `A/b` without metadata, with these bytes from the block of names on.
    static func form(_ rest: [UInt8]) -> [UInt8] { [1, 1, 0x41, 1, 0x62, 0] + rest }

    /// The bytes of record `A/b` with a field `f` of these bytes.
    static func form(value: [UInt8]) -> [UInt8] { form([2, 1, 0x66] + value) }

    /// Where the value of the field in such a record begins.
    static let valueOffset = 9
}
