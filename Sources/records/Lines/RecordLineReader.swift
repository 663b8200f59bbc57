import NestedRecords

/// Reads records from lines of typed JSON, one after the other, from an open file.
///
/// It holds one block or the longest line, whichever is longer. Lines end with a line feed, before which a carriage
/// return may stand; the last one need not. Empty lines are passed over, and a byte-order mark at the start.
struct RecordLineReader: ~Copyable {
    /// The number of the line of the record that was read last, counted from 1.
    private(set) var line = 0

    /// The bytes of that line, without its end.
    private(set) var lineBytes = 0

    private var input: LineInput
    private var json = JSONReader()

    /// Begins where the file stands.
    ///
    /// - Parameters:
    ///   - descriptor: An open file, which is not closed.
    ///   - blockSize: How many bytes to read at once.
    init(descriptor: Int32, blockSize: Int = 1 << 18) {
        input = LineInput(descriptor: descriptor, blockSize: blockSize)
    }

    /// The next record.
    ///
    /// - Returns: The record, its fields in the order in which they stand; nil behind the last one.
    /// - Throws: ``JSONError`` with the number of the line in the file, ``ReadError`` where the file cannot be read.
    mutating func next() throws -> Record? {
        while let range = try input.nextLine() {
            line += 1
            lineBytes = range.count
            let record = try input.withBytes(range) { bytes in
                try Self.record(in: bytes, line: line, &json)
            }
            if let record { return record }
        }
        return nil
    }

    /// The record of a line, nil for an empty one.
    private static func record(
        in bytes: UnsafeRawBufferPointer, line: Int, _ json: inout JSONReader
    ) throws -> Record? {
        var cursor = JSONCursor(bytes, mayHaveMark: line == 1)
        guard cursor.skipSpace() != 0 || cursor.position < bytes.count else { return nil }
        do {
            return try TypedForm.record(try json.value(at: cursor))
        } catch let fault as JSONFault {
            let fault = misunderstanding(of: bytes, line: line, from: cursor.position) ?? fault
            let place = JSONPlace(of: fault.offset, in: bytes)
            throw JSONError(
                reason: fault.reason, place: JSONPlace(line: line + place.line - 1, column: place.column))
        }
    }

    /// What is wrong with a line that is no record because the input is of another kind; nil if it is of this one.
    private static func misunderstanding(of bytes: UnsafeRawBufferPointer, line: Int, from start: Int) -> JSONFault? {
        if line == 1, bytes.starts(with: "NRDB".utf8) {
            let reason = "found a record file, expected lines of typed JSON: a record file is read by its path"
            return JSONFault(reason: reason, offset: 0)
        }
        let text = bytes[start...].filter { $0 > 0x20 }
        guard text == [UInt8(ascii: "{")] || text == [UInt8(ascii: "[")] else { return nil }
        let reason = "found a line that only begins a value, expected a whole record on each line"
        return JSONFault(reason: "\(reason): nested JSON is for 'records flatten'", offset: start)
    }
}
