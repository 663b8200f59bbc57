/// A position in the history of a database, after the last change that the reader has received.
///
/// It is opaque text that can be stored and sent. ``RecordChanges/token`` and
/// ``ObservableRecordDatabase/changeToken()`` return it.
public struct ChangeToken: Sendable, Hashable {
    /// The identity of the database.
    public let store: String

    /// The number of the last change.
    public let position: UInt64

    /// A mark that distinguishes the change from another with the same number, which exists if the database was
    /// restored to an earlier state and changed again.
    public let mark: UInt64

    /// Makes a token, for implementations of databases.
    ///
    /// - Parameters:
    ///   - store: The identity of the database: no other one has it.
    ///   - position: The number of the last change.
    ///   - mark: A mark of that change, such as a checksum or a random number; 0 where no database is restored.
    public init(store: String, position: UInt64, mark: UInt64 = 0) {
        self.store = store
        self.position = position
        self.mark = mark
    }

    /// The reason why a database cannot report the changes since a token.
    public enum Expiry: String, Sendable, Hashable, CaseIterable {
        /// The history of the token's time is gone: deletions since then are no longer recorded.
        case purged

        /// The token belongs to another database.
        case otherStore

        /// The database was restored to an earlier state than the token's.
        case wentBack
    }
}

extension ChangeToken: TextCodable {
    /// The token as text: letters, digits, `-` and `_`.
    public var description: String { SealedText.text(of: [Array(store.utf8), position.bytes, mark.bytes]) }

    /// Makes a token from text; nil if the text is not a token.
    public init?(_ description: String) {
        guard let parts = SealedText.parts(of: description), parts.count == 3,
            let store = String(validUTF8: parts[0]), let position = UInt64(bytes: parts[1][...]),
            let mark = UInt64(bytes: parts[2][...])
        else { return nil }
        self.init(store: store, position: position, mark: mark)
    }
}
