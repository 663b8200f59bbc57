@_spi(Engines) public import NestedRecords

extension FileRecordDatabase {
    /// Damage in a record file.
    public struct Problem: Sendable, Hashable {
        /// What is damaged.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// The header of the file, or its copy.
            case header

            /// One of the two states of the file; the other is undamaged.
            case state

            /// A batch as a whole, such as its header or its end, or the history of the file.
            case batch

            /// A saved version of a record, or the mark of its deletion, with a wrong length or checksum.
            case entry

            /// A record whose checksum is right but whose content is not a valid record.
            case record

            /// The index of the records, in memory or saved in the file.
            case index
        }

        /// The offset in the file, in bytes.
        public let offset: Int

        /// The record, if it is known.
        public let record: Record.ID?

        /// What is damaged.
        public let kind: Kind

        /// Whether the damage is harmless: in an older version of a record, or in data that is recreated when needed.
        public let isDead: Bool

        /// A description of the damage.
        public let reason: String
    }
}

extension FileRecordDatabase.Problem: CustomStringConvertible {
    /// The offset, the kind, the record and the reason, in one line.
    public var description: String {
        "byte \(offset), \(kind.rawValue)\(record.map { " \($0)" } ?? "")\(isDead ? " (not in use)" : ""): \(reason)"
    }
}
