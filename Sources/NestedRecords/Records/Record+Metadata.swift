#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Record {
    /// Data that a database keeps about a record: set on save, never by the encoder.
    public struct Metadata: Sendable, Hashable, Codable {
        /// An opaque mark that changes with every save: two records with the same tag are the same version.
        public var changeTag: String

        /// When the database first saved the record.
        public var creationDate: Date

        /// When the database last saved the record.
        public var modificationDate: Date

        /// Makes metadata, for implementations of databases.
        ///
        /// - Parameters:
        ///   - changeTag: The mark of this version.
        ///   - creationDate: When the record was first saved.
        ///   - modificationDate: When the record was last saved.
        public init(changeTag: String, creationDate: Date, modificationDate: Date) {
            self.changeTag = changeTag
            self.creationDate = creationDate
            self.modificationDate = modificationDate
        }
    }
}

extension Record.Metadata {
    /// Returns whether both have the same tag and dates; a date that is not a number is equal to itself.
    public static func == (left: Self, right: Self) -> Bool {
        left.changeTag == right.changeTag && left.dates == right.dates
    }

    /// Feeds the tag and the dates to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeTag)
        hasher.combine(dates)
    }

    private var dates: [Record.Value] { [.date(creationDate), .date(modificationDate)] }
}
