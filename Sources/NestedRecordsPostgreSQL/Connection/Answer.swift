#if PostgreSQL
import CPostgreSQL

/// The answer of a server to a statement, in its binary form.
///
/// It is Sendable because the result does not change: libpq's functions only read it, and it is freed with the last
/// reference to this object.
final class Answer: @unchecked Sendable {
    private let result: OpaquePointer
    let purpose: String

    init(_ result: OpaquePointer, of purpose: String) {
        self.result = result
        self.purpose = purpose
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    /// The bytes of a value, valid as long as this object; nil for null.
    private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        guard row < PQntuples(result), column < PQnfields(result), PQgetisnull(result, row, column) == 0,
            let value = PQgetvalue(result, row, column)
        else { return nil }
        return UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column)))
    }

    func withBytes<Result>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result? {
        try withExtendedLifetime(self) { try bytes(row, column).map(body) }
    }

    func byteCount(_ row: Int, _ column: Int) -> Int { withBytes(row, column) { $0.count } ?? 0 }

    func isNull(_ row: Int, _ column: Int) -> Bool { withBytes(row, column) { _ in true } == nil }

    func text(_ row: Int, _ column: Int) -> String? { withBytes(row, column) { String(decoding: $0, as: UTF8.self) } }

    func integer(_ row: Int, _ column: Int) -> Int64? {
        withBytes(row, column) { bytes in
            // Of either size: the server sends some numbers as 4 bytes.
            Int64(bigEndianBytes: bytes) ?? Int32(bigEndianBytes: bytes).map(Int64.init)
        } ?? nil
    }

    func transaction(_ row: Int, _ column: Int) -> UInt64? {
        withBytes(row, column) { UInt64(bigEndianBytes: $0) } ?? nil
    }

    func double(_ row: Int, _ column: Int) -> Double? {
        (withBytes(row, column) { UInt64(bigEndianBytes: $0) } ?? nil).map(Double.init(bitPattern:))
    }

    func bool(_ row: Int, _ column: Int) -> Bool? { withBytes(row, column) { $0.first == 1 } }

    func doubles(_ row: Int, _ column: Int) -> [Double] {
        withBytes(row, column) { bytes in
            // The head has five numbers; each element of eight bytes follows its length.
            stride(from: 24, to: bytes.count - 7, by: 12).map { offset in
                Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
        } ?? []
    }
}
#endif
