import Foundation
@_spi(Engines) import NestedRecords

/// The field of a record in CloudKit with what its other fields do not hold.
///
/// Its bytes are a version (1), flags (1), the digest of the fields (8), a random number (8), and in the binary form of
/// records the exact values with the metadata of the last save.
struct RestField {
    static let name = "nr_rest"
    private static let version: UInt8 = 1

    /// The values that the native ones do not hold, by their fields, with the metadata of the save.
    let exact: Record

    /// The digest of all fields as they were saved: other ones are those of another program.
    let digest: UInt64

    /// Whether the record is deleted: CloudKit deletes in no version, so that a record is marked first.
    let isDeleted: Bool

    /// A number that differs for each save, also for one that changes nothing else.
    private let nonce: UInt64

    init(exact: Record, digest: UInt64, isDeleted: Bool = false) {
        (self.exact, self.digest, self.isDeleted) = (exact, digest, isDeleted)
        nonce = .random(in: .min ... .max)
    }

    /// Reads the field; nil for bytes of another form, since other programs may have changed them.
    init?(_ data: Data) {
        let bytes = Array(data)
        guard bytes.count > 18, bytes[0] == Self.version else { return nil }
        func number(at position: Int) -> UInt64 { bytes[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        var reader = RecordReader()
        guard let exact = try? reader.record(from: Data(bytes[18...])) else { return nil }
        (self.exact, isDeleted, digest, nonce) = (exact, bytes[1] & 1 == 1, number(at: 2), number(at: 10))
    }

    /// - Throws: `RecordError` for values that are nested too deeply.
    func data() throws -> Data {
        func bytes(of number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        var writer = RecordWriter()
        let record = try writer.bytes(of: exact)
        return Data([Self.version, isDeleted ? 1 : 0] + bytes(of: digest) + bytes(of: nonce) + record)
    }

    /// The digest of fields in any order.
    ///
    /// - Throws: `RecordError` for values that are nested too deeply.
    static func digest(of fields: Record.Fields, _ id: Record.ID) throws -> UInt64 {
        let sorted = fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var writer = RecordWriter()
        let record = try Record(id: id, fields: Record.Fields(sorted.map { ($0.name, $0.value) }))
        return XXH64.hash(try writer.bytes(of: record))
    }
}
