import Foundation
@_spi(Engines) import NestedRecords

/// The field of a record in CloudKit with what its other fields do not hold.
///
/// Its bytes are a version (1), flags (1), the digest of the fields (8), a random number (8), the length of the first
/// record (4), and two records in the binary form: the first has the values without native ones and the metadata of the save,
/// and the second, if there is one, the exact values of native ones.
struct RestField {
    static let name = "nr_rest"
    private static let version: UInt8 = 1
    private static let headerSize = 22

    /// The values that have no native ones, by their fields, with the metadata of the save.
    let alone: Record

    /// The values that the native ones do not hold exactly, by their fields.
    let exact: Record.Fields

    /// The digest of all fields as they were saved: other ones are those of another program.
    let digest: UInt64

    /// Whether the record is marked as deleted: CloudKit deletes in no version.
    ///
    /// A mark has no other fields. Those that another program adds make it a record again.
    let isDeleted: Bool

    init(alone: Record, exact: Record.Fields, digest: UInt64) {
        (self.alone, self.exact, self.digest, isDeleted) = (alone, exact, digest, false)
    }

    /// Marks a record as deleted.
    ///
    /// - Parameter mark: A record without fields, with the metadata of the deletion.
    init(deleting mark: Record) { (alone, exact, digest, isDeleted) = (mark, [:], 0, true) }

    /// Reads the field; nil for bytes of another form, since other programs may have changed them.
    ///
    /// - Throws: `RecordDatabaseError` with the code `unsupportedVersion` for the field of a later version of the library,
    ///   whose values a save would remove.
    init?(_ data: Data) throws {
        let bytes = Array(data)
        guard bytes.count > Self.headerSize else { return nil }
        if (Self.version + 1...Self.version + 15).contains(bytes[0]) { throw Self.ofLaterVersion(Int(bytes[0])) }
        guard bytes[0] == Self.version else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        let end = Self.headerSize + Int(number(18..<22))
        guard end <= bytes.count else { return nil }
        var reader = RecordReader()
        do {
            alone = try reader.record(from: Data(bytes[Self.headerSize..<end]))
            exact = end == bytes.count ? [:] : try reader.record(from: Data(bytes[end...])).fields
        } catch {
            if error.code == .unknownVersion { throw Self.ofLaterVersion(Int(bytes[Self.headerSize])) }
            return nil
        }
        (isDeleted, digest) = (bytes[1] & 1 == 1, number(2..<10))
    }

    private static func ofLaterVersion(_ version: Int) -> RecordDatabaseError {
        RecordDatabaseError(
            .unsupportedVersion, .version(version),
            reason: "a later version of the library has written the field '\(name)'")
    }

    /// The bytes, which differ each time, so that a save of them changes the record in CloudKit.
    ///
    /// - Throws: `RecordError` for values that are nested too deeply.
    func data() throws -> Data {
        func bytes(of number: UInt64, count: Int = 8) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
        }
        var writer = RecordWriter()
        let first = try writer.bytes(of: alone)
        // A writer of its own: the first record is read alone.
        var other = RecordWriter()
        let second = exact.isEmpty ? [] : try other.bytes(of: Record(id: alone.id, fields: exact))
        let header = [Self.version, isDeleted ? 1 : 0] + bytes(of: digest) + bytes(of: .random(in: .min ... .max))
        return Data(header + bytes(of: UInt64(first.count), count: 4) + first + second)
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
