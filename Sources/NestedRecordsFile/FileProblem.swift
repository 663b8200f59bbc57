public import NestedRecords

extension FileRecordDatabase {
    /// Damage in a record file.
    public struct Problem: Sendable, Hashable {
        /// What is damaged.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// The header of the file.
            case header
            /// One of the two notes of the file's state; the other one is undamaged.
            case state
            /// The header of a batch, or the batch as a whole.
            case batch
            /// A record or a deletion, whose checksum is wrong.
            case entry
            /// A record whose checksum is right, but whose content is not a valid record.
            case record
            /// An index: a saved one, or the one that the database works with.
            case index
        }

        /// Where in the file it is, in bytes.
        public let offset: Int

        /// The record, if it is known.
        public let record: Record.ID?

        /// What is damaged.
        public let kind: Kind

        /// Whether it is of no consequence: an older version of a record, or something that is recreated when needed.
        public let isDead: Bool

        /// What is wrong with it.
        public let reason: String
    }
}

extension FileRecordDatabase.Problem: CustomStringConvertible {
    /// Where the problem is, and what is wrong, in one line.
    public var description: String {
        "byte \(offset), \(kind.rawValue)\(record.map { " \($0)" } ?? "")\(isDead ? " (not in use)" : ""): \(reason)"
    }
}
