/// A place in the history of a database, behind the last change that its owner knows.
///
/// It is text without a meaning of its own, which can be stored and sent. ``RecordChanges/token`` and
/// ``ObservableRecordDatabase/changeToken()`` give it.
public struct ChangeToken: Sendable, Hashable {
    /// The identity of the database.
    public let store: String

    /// The number of the last change.
    public let position: UInt64

    /// What tells the change at this position from another one that would have the same number: of a database that was
    /// restored to an earlier state and written anew.
    public let mark: UInt64

    /// Makes a token; for databases.
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

    /// Why a database cannot say what has changed since a token.
    public enum Expiry: String, Sendable, Hashable, CaseIterable {
        /// The history up to there is gone: records that were deleted are not known any more.
        case purged

        /// It is a token of another database.
        case otherStore

        /// The database is in an earlier state than that of the token: it was restored.
        case wentBack
    }
}

extension ChangeToken: LosslessStringConvertible {
    /// The text: letters, digits, `-` and `_`.
    public var description: String { SealedText.text(of: [Array(store.utf8), position.bytes, mark.bytes]) }

    /// Reads the text; nil if it is not that of a token.
    public init?(_ description: String) {
        guard let parts = SealedText.parts(of: description), parts.count == 3,
            let store = String(validating: parts[0], as: UTF8.self), let position = UInt64(bytes: parts[1][...]),
            let mark = UInt64(bytes: parts[2][...])
        else { return nil }
        self.init(store: store, position: position, mark: mark)
    }
}

extension ChangeToken: Codable {
    /// Reads the text.
    ///
    /// - Parameter decoder: A decoder with a single string.
    /// - Throws: `DecodingError.dataCorrupted` if the string is not that of a token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = ChangeToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the string is not that of a change token, or was changed")
        }
        self = token
    }

    /// Writes the text.
    ///
    /// - Parameter encoder: An encoder for a single string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
