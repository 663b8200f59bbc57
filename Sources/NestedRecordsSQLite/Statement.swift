#if SQLite
import CSQLite
import Foundation
@_spi(Engines) import NestedRecords

struct Statement {
    fileprivate let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    enum Value {
        case int(Int64)
        case text(String)

        /// A text, as its bytes.
        case utf8([UInt8])
        case bytes([UInt8])
        case date(Date)
        case null
    }

    func step() -> Int32 { sqlite3_step(pointer) }

    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func finish() { sqlite3_finalize(pointer) }

    func bind(_ values: [Value], _ connection: Connection) throws {
        for (position, value) in values.enumerated() {
            let result = bind(value, at: Int32(position + 1))
            guard result == SQLITE_OK else { throw connection.failure(result) }
        }
    }

    func bind(_ value: Value, at position: Int32) -> Int32 {
        switch value {
        case .date(let date):
            return sqlite3_bind_double(pointer, position, date.timeIntervalSinceReferenceDate)
        case .int(let value): return sqlite3_bind_int64(pointer, position, value)
        case .text(let text):
            var text = text
            return text.withUTF8 { bind($0, at: position) }
        case .utf8(let bytes): return bytes.withUnsafeBufferPointer { bind($0, at: position) }
        case .null: return sqlite3_bind_null(pointer, position)
        case .bytes(let bytes):
            if bytes.isEmpty { return sqlite3_bind_zeroblob(pointer, position, 0) }
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob64(pointer, position, $0.baseAddress, UInt64($0.count), Self.copied)
            }
        }
    }

    func bind(int value: Int64, at position: Int32) -> Int32 { sqlite3_bind_int64(pointer, position, value) }

    /// Binds bytes without copying them: they must stay until the statement is reset.
    func bind(inPlace bytes: BytesInPlace, at position: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            // Without an address the value would be NULL.
            guard bytes.count > 0 else { return sqlite3_bind_zeroblob(pointer, position, 0) }
            return sqlite3_bind_blob64(pointer, position, bytes.baseAddress, UInt64(bytes.count), nil)
        }
    }

    private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int32) -> Int32 {
        // The empty string may have no address, which would be NULL.
        guard let address = bytes.baseAddress else {
            return sqlite3_bind_text64(pointer, position, "", 0, Self.copied, UInt8(SQLITE_UTF8))
        }
        return address.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            sqlite3_bind_text64(pointer, position, $0, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        }
    }

    /// SQLite's marker for values that it has to copy, a macro that is not imported.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// A row of a result, valid until the next one.
struct Row {
    private let pointer: OpaquePointer

    init(_ statement: Statement) { pointer = statement.pointer }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(pointer, column) else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))),
            as: UTF8.self)
    }

    /// The bytes of a text; nil for a value of another type.
    func textBytes(_ column: Int32) -> BytesInPlace? {
        sqlite3_column_type(pointer, column) == SQLITE_TEXT ? bytes(column) : nil
    }

    func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(pointer, column)) }

    func bytes(_ column: Int32) -> BytesInPlace? {
        if sqlite3_column_type(pointer, column) == SQLITE_NULL { return nil }
        let address = sqlite3_column_blob(pointer, column)
        let count = Int(sqlite3_column_bytes(pointer, column))
        return BytesInPlace(UnsafeRawBufferPointer(start: address, count: count))
    }
}
#endif
