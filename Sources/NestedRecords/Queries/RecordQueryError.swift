/// Why a query cannot be answered.
///
/// ``code`` identifies the error.
public struct RecordQueryError: ClassifiedError, Hashable {
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

extension ErrorCode<RecordQueryError> {
    /// The cursor belongs to a query of another type, filter or order.
    public static var foreignCursor: Self { Self("foreignCursor", kind: .invalidInput) }

    /// A text is not that of a cursor, or was changed.
    public static var invalidCursor: Self { Self("invalidCursor", kind: .invalidInput) }

    /// A query is limited to fewer than no records.
    public static var invalidLimit: Self { Self("invalidLimit", kind: .invalidInput) }

    /// The filter has more terms, or more references to follow, than a database answers.
    public static var filterTooLarge: Self { Self("filterTooLarge", kind: .invalidInput) }

    /// A filter that follows references was to be tried on a single record, without a database.
    public static var needsDatabase: Self { Self("needsDatabase", kind: .unsupported) }

    /// It cannot be told for certain which field a property of a Swift type is stored in.
    public static var unknownField: Self { Self("unknownField", kind: .invalidInput) }

    /// The Swift type does not say of which record type its values are.
    public static var unknownType: Self { Self("unknownType", kind: .invalidInput) }
}

extension RecordQueryError {
    /// What is wrong, in one line.
    public var description: String { summary + reason.detail }

    private var summary: String {
        switch code {
        case .foreignCursor: "the cursor belongs to a query of another type, filter or order"
        case .invalidCursor: "the text is not that of a cursor, or was changed"
        case .invalidLimit: "the limit of a query is less than zero"
        case .filterTooLarge: "the filter is too large"
        case .needsDatabase: "the filter follows references, which only a database can"
        case .unknownField: "it is not certain in which field a property is stored"
        case .unknownType: "it is not known of which record type the values are"
        default: code.rawValue
        }
    }
}
