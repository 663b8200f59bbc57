#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A record whose ID, metadata and field names are stored apart from the values of its fields.
///
/// It must not be used after its bytes are released.
package struct RecordParts: Sendable {
    /// The UTF-8 of the record's name.
    package let name: BytesInPlace
    package let version: Version
    package let names: NameBlock

    /// The values of the fields in their binary form, one after the other.
    package let values: BytesInPlace

    @inline(__always)
    package init(name: BytesInPlace, version: Version, names: NameBlock, values: BytesInPlace) {
        (self.name, self.version, self.names, self.values) = (name, version, names, values)
    }

    /// What the metadata follow from: the batch that saved the record, its row, and its dates.
    package struct Version: Sendable {
        private let batch: Int64
        private let mark: Int64
        private let row: Int64
        private let creation: Double
        private let modification: Double

        /// - Parameters:
        ///   - batch: The number of the batch.
        ///   - mark: The random number of the batch: tags stay unique if an older copy of a file replaces the file.
        ///   - row: The number of the row.
        ///   - creation: The date in seconds since 2001.
        ///   - modification: The date in seconds since 2001.
        @inline(__always)
        package init(batch: Int64, mark: Int64, row: Int64, creation: Double, modification: Double) {
            (self.batch, self.mark, self.row) = (batch, mark, row)
            (self.creation, self.modification) = (creation, modification)
        }

        /// The tags of a batch begin so.
        package static func tagStart(ofBatch batch: Int64, mark: Int64) -> String {
            "\(String(batch, radix: 36))-\(String(UInt64(bitPattern: mark), radix: 36))-"
        }

        /// The tag of a record that a batch saved in a row.
        package static func changeTag(_ start: String, inRow row: Int64) -> String {
            String(start, base36: UInt64(bitPattern: row))
        }

        package func metadata(tagStart: String) -> Record.Metadata {
            Record.Metadata(
                changeTag: Self.changeTag(tagStart, inRow: row),
                creationDate: Date(timeIntervalSinceReferenceDate: creation),
                modificationDate: Date(timeIntervalSinceReferenceDate: modification))
        }

        package var metadata: Record.Metadata { metadata(tagStart: Self.tagStart(ofBatch: batch, mark: mark)) }
    }
}

extension BytesInPlace {
    /// The last four bytes as a number, and the bytes before; nil if there are fewer.
    package var withoutLastNumber: (bytes: BytesInPlace, number: UInt32)? {
        let end = count - MemoryLayout<UInt32>.size
        return number(UInt32.self, at: end).map { (part(0..<end), $0) }
    }
}

extension RecordWriter {
    /// Appends the names of a record's fields after their length in bytes, and then the values, as ``RecordParts`` has
    /// them.
    ///
    /// - Returns: The position of the values.
    package mutating func appendParts(
        of record: Record, to bytes: inout GrowingBytes
    ) throws(RecordError) -> Int {
        try append(names: record.fields.shape, of: record.id, to: &bytes)
        let start = bytes.count
        try appendValues(of: record, to: &bytes)
        return start
    }
}
