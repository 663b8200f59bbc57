/// A position in the history of a database, after the last change that the reader has received.
///
/// It is opaque text that can be stored and sent. ``RecordChanges/token`` and ``RecordFeed/changeToken()`` return it.
public struct ChangeToken: Sendable, Hashable {
    /// The identity of the database: no other database has it.
    public let store: String

    /// The position, in a form that only the database knows: at most ``maximumPayload`` bytes.
    @_spi(Engines) public let payload: [UInt8]

    /// The maximum size of a payload in bytes.
    @_spi(Engines) public static let maximumPayload = 4_096

    /// Makes a token, for implementations of feeds.
    ///
    /// - Parameters:
    ///   - store: The identity of the database: no other one has it.
    ///   - payload: The position, at most ``maximumPayload`` bytes. It must differ from that of another state with the same
    ///     number of changes, which exists if the database was restored to an earlier state and changed again.
    /// - Throws: ``RecordDatabaseError`` with the code `invalidOptions` for a larger payload.
    @_spi(Engines) public init(store: String, payload: [UInt8]) throws {
        guard payload.count <= Self.maximumPayload else {
            throw RecordDatabaseError(
                .invalidOptions,
                reason: "a change token has \(payload.count) bytes, and at most \(Self.maximumPayload) are allowed")
        }
        (self.store, self.payload) = (store, payload)
    }

    /// Makes a token of a database that numbers its batches.
    ///
    /// - Parameters:
    ///   - store: The identity of the database.
    ///   - position: The number of the last batch.
    ///   - mark: A mark that distinguishes the batch from another with the same number in a restored database.
    package init(store: String, position: UInt64, mark: UInt64 = 0) {
        (self.store, payload) = (store, position.bytes + mark.bytes)
    }

    /// The position in a database that numbers its batches.
    ///
    /// - Throws: `RecordDatabaseError.Code.changeTokenExpired` for a token of another database.
    package func place(in store: String) throws -> (position: UInt64, mark: UInt64) {
        guard store == self.store, let position = UInt64(bytes: payload.prefix(8)),
            let mark = UInt64(bytes: payload.dropFirst(8))
        else { throw RecordDatabaseError(.changeTokenExpired, .expiry(.otherStore)) }
        return (position, mark)
    }

    /// The reason why a database cannot report the changes since a token.
    public enum Expiry: String, Sendable, Hashable, CaseIterable {
        /// The history of the token's time is gone: deletions since then are no longer recorded.
        case purged

        /// The token belongs to another database.
        case otherStore

        /// The database was restored to an earlier state than the token's.
        case wentBack

        /// The token belongs to the same reader with other rules: what the reader has must be compared with the scope.
        case scopeChanged

        /// The token belongs to another reader, or to a feed without one.
        case otherReader
    }
}

extension ChangeToken: TextCodable {
    /// The token as text: letters, digits, `-` and `_`.
    public var description: String { SealedText.text(of: [Array(store.utf8), payload]) }

    /// Makes a token from text; nil if the text is not a token.
    public init?(_ description: String) {
        guard let parts = SealedText.parts(of: description), parts.count == 2,
            let store = String(validUTF8: parts[0]), parts[1].count <= Self.maximumPayload
        else { return nil }
        (self.store, payload) = (store, parts[1])
    }
}
