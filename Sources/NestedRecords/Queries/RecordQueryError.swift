#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a query cannot be answered.
///
/// ``code`` identifies the error.
public struct RecordQueryError: Error, Sendable, Hashable {
    /// What is wrong.
    public let code: Code

    /// What exactly, where the code alone does not say it.
    public let reason: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: What exactly, or nil if the code says enough.
    public init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }
}

extension RecordQueryError {
    /// What is wrong, without the details.
    ///
    /// Compare it with the constants; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The cursor belongs to a query of another type, filter or order.
        public static let foreignCursor = Code(rawValue: "foreignCursor")

        /// A text is not that of a cursor, or was changed.
        public static let invalidCursor = Code(rawValue: "invalidCursor")

        /// The filter has more terms, or more references to follow, than a database answers.
        public static let filterTooLarge = Code(rawValue: "filterTooLarge")

        /// A filter that follows references was to be tried on a single record, without a database.
        public static let needsDatabase = Code(rawValue: "needsDatabase")

        /// It cannot be told for certain which field a property of a Swift type is stored in.
        public static let unknownField = Code(rawValue: "unknownField")

        /// The Swift type does not say of which record type its values are.
        public static let unknownType = Code(rawValue: "unknownType")

        /// Returns whether an error is a ``RecordQueryError`` with this code, for
        /// `catch RecordQueryError.Code.foreignCursor`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? RecordQueryError)?.code == code }
    }
}

extension RecordQueryError.Code: CustomStringConvertible {
    /// The name of the code.
    public var description: String { rawValue }
}

extension RecordQueryError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RecordQueryError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String { summary + reason.detail }

    private var summary: String {
        switch code {
        case .foreignCursor: "the cursor belongs to a query of another type, filter or order"
        case .invalidCursor: "the text is not that of a cursor, or was changed"
        case .filterTooLarge: "the filter is too large"
        case .needsDatabase: "the filter follows references, which only a database can"
        case .unknownField: "it is not certain in which field a property is stored"
        case .unknownType: "it is not known of which record type the values are"
        default: code.rawValue
        }
    }
}
