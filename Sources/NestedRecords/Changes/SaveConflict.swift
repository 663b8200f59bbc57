/// A record that could not be saved because the database holds another version than the one it was made from.
public struct SaveConflict: Sendable, Hashable {
    /// The record to save.
    public let client: Record

    /// The record that the database holds.
    public let server: Record

    /// The common ancestor of both, nil if it is unknown.
    public let ancestor: Record?

    /// Makes a conflict.
    public init(client: Record, server: Record, ancestor: Record? = nil) {
        self.client = client
        self.server = server
        self.ancestor = ancestor
    }

    /// A field that both sides changed to different values.
    public struct Field: Sendable, Hashable {
        /// The field's name.
        public let name: String

        /// The value in the record to save; nil if the record has no such field.
        public let client: Record.Value?

        /// The value in the database's record, nil if it has no such field.
        public let server: Record.Value?

        /// The value before both changes, nil if the field was missing or its value is unknown.
        public let ancestor: Record.Value?

        /// Makes a field, for tests of conflict resolution.
        public init(name: String, client: Record.Value?, server: Record.Value?, ancestor: Record.Value? = nil) {
            self.name = name
            self.client = client
            self.server = server
            self.ancestor = ancestor
        }
    }
}
