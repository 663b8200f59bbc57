/// A query that cannot be answered.
///
/// ``code`` identifies the error.
public struct RecordQueryError: ClassifiedError, Hashable {
    /// What is wrong.
    public let code: Code

    /// The details, where the code alone is not enough.
    public let reason: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: The details, or nil if the code is enough.
    public init(_ code: Code, reason: String? = nil) {
        self.code = code
        self.reason = reason
    }
}

extension ErrorCode<RecordQueryError> {
    /// The cursor belongs to a query of another type, filter or order.
    public static var foreignCursor: Self { Self("foreignCursor", kind: .invalidInput) }

    /// A text is not a valid cursor.
    public static var invalidCursor: Self { Self("invalidCursor", kind: .invalidInput) }

    /// The limit of a query is negative.
    public static var invalidLimit: Self { Self("invalidLimit", kind: .invalidInput) }

    /// The filter has more terms, or more references to follow, than a database accepts.
    public static var filterTooLarge: Self { Self("filterTooLarge", kind: .invalidInput) }

    /// A filter that follows references cannot be tested on a single record, without a database.
    public static var needsDatabase: Self { Self("needsDatabase", kind: .unsupported) }

    /// The field of a Swift type's property cannot be determined.
    public static var unknownField: Self { Self("unknownField", kind: .invalidInput) }

    /// The record type of a Swift type's values is unknown.
    public static var unknownType: Self { Self("unknownType", kind: .invalidInput) }
}

extension RecordQueryError {
    /// The error in one line.
    public var description: String { summary + reason.detail }

    private var summary: String {
        switch code {
        case .foreignCursor: "the cursor belongs to a query of another type, filter or order"
        case .invalidCursor: "the text is not a valid query cursor"
        case .invalidLimit: "the limit of a query is less than zero"
        case .filterTooLarge: "the filter is too large"
        case .needsDatabase: "the filter follows references, which needs a database"
        case .unknownField: "cannot determine the field of a property"
        case .unknownType: "the record type of the values is unknown"
        default: code.rawValue
        }
    }
}
