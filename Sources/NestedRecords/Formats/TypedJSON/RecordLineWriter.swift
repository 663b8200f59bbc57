/// Writes records as lines of typed JSON, into a buffer of bytes.
///
/// ```swift
/// var writer = RecordLineWriter()
/// for record in records { try writer.write(record) }
/// file.write(Data(writer.takeBytes()))
/// ```
///
/// The form is that of the `Codable` conformance of ``Record``, but keeps the order of the fields. ``RecordLineReader``
/// reads it. Writing does not recurse.
@_spi(Engines) public struct RecordLineWriter: Sendable {
    private var json = JSONWriter()

    /// Makes a writer with an empty buffer.
    public init() {}

    /// The written lines that were not taken yet, in UTF-8.
    public var bytes: [UInt8] { json.bytes }

    /// Takes the lines out of the buffer.
    ///
    /// - Returns: The lines in UTF-8.
    public mutating func takeBytes() -> [UInt8] { json.takeBytes() }

    /// Writes a record and ends its line.
    ///
    /// - Parameter record: The record, with its metadata if it has any.
    /// - Throws: `RecordError.Code.depthLimitExceeded` for a field with more than 1,000 nested lists and maps,
    ///   which could not be read back. The buffer is unchanged then.
    /// - Complexity: O(*n*) for *n* bytes.
    public mutating func write(_ record: Record) throws(RecordError) {
        try json.write(record)
        json.endLine()
    }
}
