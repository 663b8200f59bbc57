/// Reads records from lines of typed JSON, one after the other.
///
/// ```swift
/// var reader = RecordLineReader(bytes)
/// while let record = try reader.next() { print(record) }
/// ```
///
/// The form and its rules are those of the `Codable` conformance of ``Record``, except that the fields keep their
/// order. Lines end with a line feed, optionally after a carriage return; the last line may end without. Empty lines
/// are skipped, and a byte-order mark at the start.
///
/// The reader also refuses input that a decoder does not notice: repeated keys of an object, integers beyond 64 bits,
/// and large integers with a fraction or an exponent. A field may hold 1,000 nested lists and maps, as in the binary
/// form; reading does not recurse. The reader holds one block or the longest line, whichever is longer.
@_spi(Engines) public struct RecordLineReader: ~Copyable {
    /// The number of the last line that was read, counted from 1.
    public private(set) var line = 0

    /// The number of bytes of that line, without its end.
    public private(set) var lineLength = 0

    private var input: LineInput
    private var json = JSONReader(maximumDepth: TypedForm.maximumDepth)

    init(_ input: consuming LineInput) { self.input = input }

    /// Makes a reader of lines in memory.
    ///
    /// - Parameter bytes: The lines in UTF-8.
    public init(_ bytes: [UInt8]) {
        self.init(LineInput(bytes))
    }

    /// The next record.
    ///
    /// After a ``RecordFormatError`` the next call continues with the next line.
    ///
    /// - Returns: The record, its fields in the order of the line; nil after the last record.
    /// - Throws: ``RecordFormatError`` for a line that is not a record, and errors of reading the bytes.
    /// - Complexity: O(*n*) for a line of *n* bytes.
    public mutating func next() throws -> Record? {
        while let range = try input.nextLine() {
            line += 1
            lineLength = range.count
            let start = input.offset(of: range)
            let record = try input.withBytes(range) { bytes in
                try Self.record(in: bytes, line: line, offset: start, &json)
            }
            if let record { return record }
        }
        return nil
    }

    private static func record(
        in bytes: BytesInPlace, line: Int, offset: Int, _ json: inout JSONReader
    ) throws(RecordFormatError) -> Record? {
        var cursor = JSONCursor(bytes, mayHaveMark: line == 1)
        guard cursor.skipSpace() != 0 || cursor.position < bytes.count else { return nil }
        let root: JSONValue
        do {
            root = try json.value(at: cursor)
        } catch {
            let isIncomplete = beginsOnly(bytes, from: cursor.position)
            let reason = "found a line that only begins a value, expected a whole record on each line"
            let fault = isIncomplete ? JSONFault(reason: reason, offset: cursor.position) : error
            throw RecordFormatError(
                isIncomplete ? .incompleteLine : .malformedJSON, fault, in: bytes, line: line, offset: offset,
                id: json.outermostValue(of: TypedKey.id), path: json.path)
        }
        do {
            return try Record(typed: root)
        } catch {
            var id: JSONValue?
            if case .object(let object) = root.content { id = object[TypedKey.id] }
            throw RecordFormatError(
                .invalidRecord, error, in: bytes, line: line, offset: offset, id: id,
                path: root.path(to: error.offset))
        }
    }

    private static func beginsOnly(_ bytes: BytesInPlace, from start: Int) -> Bool {
        let text = bytes[start...].filter { $0 > 0x20 }
        return text == [UInt8(ascii: "{")] || text == [UInt8(ascii: "[")]
    }
}

extension RecordFormatError {
    fileprivate init(
        _ code: Code, _ fault: JSONFault, in bytes: BytesInPlace, line: Int, offset: Int, id: JSONValue?,
        path: [PathKey]
    ) {
        var record: Record.ID?
        if case .text(let text)? = id?.content { record = try? Record.ID(text) }
        let place = JSONPlace(of: fault.offset, in: bytes)
        self.init(
            code, fault, line: line + place.line - 1, column: place.column, offset: offset + fault.offset,
            recordID: record,
            field: path.first?.stringValue == TypedKey.fields && path.count > 1 ? path[1].stringValue : nil)
    }
}
