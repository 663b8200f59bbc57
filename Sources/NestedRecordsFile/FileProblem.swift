public import NestedRecords

extension FileRecordDatabase {
    /// Damage in a record file.
    public struct Problem: Sendable, Hashable {
        /// What is damaged.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case header
            /// One of the two states of the file; the other is undamaged.
            case state
            case batch
            case entry
            /// A record whose checksum is right but whose content is not a valid record.
            case record
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
