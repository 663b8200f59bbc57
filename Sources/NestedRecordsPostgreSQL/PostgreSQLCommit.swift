#if PostgreSQL
public import Foundation
@_spi(Engines) public import NestedRecords

/// A batch that was sent to a server; ``PostgreSQLRecordDatabase/outcome(of:)`` finds out whether it was saved.
///
/// It can be stored and sent as text.
public struct PostgreSQLCommit: Sendable, Hashable {
    /// A random number that the batch leaves on the server.
    let token: UInt64

    /// When it was sent.
    public let date: Date

    init(token: UInt64, date: Date) {
        self.token = token
        self.date = date
    }

    /// The outcome of a batch.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The batch was saved.
        case committed

        /// The batch was not saved, and never will be.
        case notCommitted

        /// The batch is older than the history that ``PostgreSQLRecordDatabase/prepare()`` keeps.
        case forgotten
    }
}

extension PostgreSQLCommit: TextCodable {
    /// The text: digits, letters and a `-`.
    public var description: String {
        String(token, radix: 36) + "-" + String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 36)
    }

    /// Reads the text; nil if it does not describe a batch.
    public init?(_ description: String) {
        let parts = description.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let token = UInt64(parts[0], radix: 36), let bits = UInt64(parts[1], radix: 36)
        else { return nil }
        self.init(token: token, date: Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    }
}
#endif
