@_spi(Engines) import NestedRecords

/// A digest of the content of records, independent of their order, the order of fields, and metadata.
///
/// It is the sum of the hashes of all records with two seeds. It detects accidental differences, not deliberate ones.
struct RecordDigest: Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    /// The number of added records that are counted.
    private(set) var count = 0

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - bytes: The result of ``Record/canonicalBytes(_:)``.
    ///   - number: 1; 0 for a record that is not counted.
    mutating func add(_ bytes: [UInt8], count number: Int = 1) {
        bytes.withBytesInPlace {
            first &+= XXH64.hash($0)
            second &+= XXH64.hash($0, seed: 1)
        }
        count += number
    }
}

extension RecordDigest: CustomStringConvertible {
    /// 32 hexadecimal digits.
    var description: String {
        [first, second].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }
}
