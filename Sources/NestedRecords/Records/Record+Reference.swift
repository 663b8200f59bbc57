extension Record {
    /// A pointer from a field to a record.
    public struct Reference: Sendable, Hashable {
        /// What happens to the record that holds a reference when the target is deleted.
        public enum Action: String, Sendable, Hashable, Codable {
            /// The record stays, and its reference dangles.
            case none
            /// The record is deleted too: the target owns it. Its own records follow in the same way.
            ///
            /// ``RecordDatabase/delete(_:cascading:contents:outsideReferences:)-(Record.ID,_,_,_)`` sees to that. A plain deletion deletes only the
            /// given records, and leaves this record with a reference that dangles.
            case deleteSelf
        }

        /// The record that this points to.
        public var id: Record.ID

        /// What happens to this reference's record when the target is deleted.
        public var action: Action

        /// Whether the target was only pointed at (true), or was nested in the value (false).
        ///
        /// A decoder fetches nested targets ahead, and others only for a type that reads them as values. So this
        /// should be true in properties of this type, or the first decoding may fetch their targets for nothing.
        public var isLink: Bool

        /// Makes a reference.
        ///
        /// - Parameters:
        ///   - id: The record to point to.
        ///   - action: What happens to this reference's record when the target is deleted.
        ///   - isLink: Whether the target is only pointed at.
        public init(to id: Record.ID, action: Action = .none, isLink: Bool = false) {
            self.id = id
            self.action = action
            self.isLink = isLink
        }
    }
}
