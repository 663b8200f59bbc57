extension Record {
    /// A pointer from a field to a record.
    public struct Reference: Sendable, Hashable {
        /// What happens to the record that holds a reference when the target is deleted.
        public enum Action: String, Sendable, Hashable, Codable {
            /// The record stays; ``DeletionOptions`` say what happens to its reference.
            case none
            /// The record is deleted too: the target owns it. The records that it owns follow in the same way.
            ///
            /// This is done by deletions with ``DeletionOptions/cascading``. Others treat the reference like any other.
            case deleteSelf
        }

        /// The target of the reference.
        public var id: Record.ID

        /// The effect on this reference's record when the target is deleted.
        public var action: Action

        /// Whether the reference is a link (true), or takes the place of a nested value (false).
        ///
        /// A decoder prefetches nested targets, and linked ones only for a type that reads them as values. Use true in
        /// properties of this type; otherwise the first decoding may fetch targets that it does not need.
        public var isLink: Bool

        /// Makes a reference.
        ///
        /// - Parameters:
        ///   - id: The record to point to.
        ///   - action: The effect on this reference's record when the target is deleted.
        ///   - isLink: Whether the target is only linked to.
        public init(to id: Record.ID, action: Action = .none, isLink: Bool = false) {
            self.id = id
            self.action = action
            self.isLink = isLink
        }
    }
}
