/// A record that could not be saved, because the database holds another version than it was made from.
public struct SaveConflict: Sendable, Hashable {
    /// The record to save.
    public let client: Record

    /// The record that the database holds.
    public let server: Record

    /// The record that both were made from, nil where it is not known.
    public let ancestor: Record?

    /// Makes a conflict.
    ///
    /// - Parameters:
    ///   - client: The record to save.
    ///   - server: The record that the database holds.
    ///   - ancestor: The record that both were made from.
    public init(client: Record, server: Record, ancestor: Record? = nil) {
        self.client = client
        self.server = server
        self.ancestor = ancestor
    }

    /// A field that was changed to different values on both sides.
    public struct Field: Sendable, Hashable {
        /// The field's name.
        public let name: String

        /// The value in the record to save, nil if it has no such field.
        public let client: Record.Value?

        /// The value in the database's record, nil if it has no such field.
        public let server: Record.Value?

        /// The value before both changes, nil if there was no such field, or it is not known.
        public let ancestor: Record.Value?

        /// Makes a field, to try out how conflicts are resolved.
        ///
        /// - Parameters:
        ///   - name: The field's name.
        ///   - client: The value in the record to save.
        ///   - server: The value in the database's record.
        ///   - ancestor: The value before both changes.
        public init(name: String, client: Record.Value?, server: Record.Value?, ancestor: Record.Value? = nil) {
            self.name = name
            self.client = client
            self.server = server
            self.ancestor = ancestor
        }
    }
}
