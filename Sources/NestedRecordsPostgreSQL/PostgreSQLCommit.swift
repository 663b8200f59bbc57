#if PostgreSQL
public import Foundation

/// A batch that was sent to a server, by which ``PostgreSQLRecordDatabase/outcome(of:)`` finds out whether it was saved.
///
/// Its text can be stored and sent.
public struct PostgreSQLCommit: Sendable, Hashable {
    /// A random number that the batch leaves on the server.
    let token: UInt64

    /// When it was sent.
    public let date: Date

    init(token: UInt64, date: Date) {
        self.token = token
        self.date = date
    }

    /// What became of a batch.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// All of it was saved.
        case committed

        /// Nothing of it was saved, and nothing will be.
        case notCommitted

        /// It is so long ago that the server does not know it any more.
        case forgotten
    }
}

extension PostgreSQLCommit: LosslessStringConvertible {
    /// The text: digits, letters and a `-`.
    public var description: String {
        String(token, radix: 36) + "-" + String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 36)
    }

    /// Reads the text; nil if it is not that of a batch.
    public init?(_ description: String) {
        let parts = description.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let token = UInt64(parts[0], radix: 36), let bits = UInt64(parts[1], radix: 36)
        else { return nil }
        self.init(token: token, date: Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    }
}

extension PostgreSQLCommit: Codable {
    /// Reads the text.
    ///
    /// - Parameter decoder: A decoder with a single string.
    /// - Throws: `DecodingError.dataCorrupted` if the string is not that of a batch.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let commit = PostgreSQLCommit(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the string is not that of a batch sent to a server")
        }
        self = commit
    }

    /// Writes the text.
    ///
    /// - Parameter encoder: An encoder for a single string.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
#endif
