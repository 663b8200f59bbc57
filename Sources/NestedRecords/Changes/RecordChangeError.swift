/// What can go wrong when records are changed.
///
/// ``code`` identifies the error. Each code lists the properties that it sets.
public struct RecordChangeError: ClassifiedError, Hashable {
    /// What went wrong.
    public let code: Code

    /// Why, where the code alone does not say it.
    public let reason: String?

    /// The record that was to be changed.
    public let recordID: Record.ID?

    /// The record that it has become.
    public private(set) var newID: Record.ID?

    /// The field that was changed to different values on both sides.
    public private(set) var field: SaveConflict.Field?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - reason: Why, or nil if the code says enough.
    ///   - recordID: The record that was to be changed, or nil.
    public init(_ code: Code, reason: String? = nil, recordID: Record.ID? = nil) {
        self.code = code
        self.reason = reason
        self.recordID = recordID
    }
}

extension ErrorCode<RecordChangeError> {
    /// A record that was merged, or a value that was updated, has become another record: `recordID`, `newID`.
    public static var identityChanged: Self { Self("identityChanged", kind: .invalidInput) }

    /// A field was changed to different values on both sides, and the conflict was not resolved: `recordID`,
    /// `field`.
    public static var contestedField: Self { Self("contestedField", kind: .conflict) }

    /// A field has a value that cannot be changed as it was to be: `recordID`.
    public static var unchangeableField: Self { Self("unchangeableField", kind: .invalidInput) }

    /// A value was to be saved in a repository to which it does not belong: `recordID`.
    public static var outsideScope: Self { Self("outsideScope", kind: .invalidInput) }
}

extension RecordChangeError {
    /// A record that was merged, or a value that was updated, has become another record.
    public static func identityChanged(from old: Record.ID, to new: Record.ID) -> RecordChangeError {
        var error = RecordChangeError(.identityChanged, recordID: old)
        error.newID = new
        return error
    }

    /// A field was changed to different values on both sides, and the conflict was not resolved.
    public static func contestedField(_ field: SaveConflict.Field, in id: Record.ID) -> RecordChangeError {
        var error = RecordChangeError(.contestedField, recordID: id)
        error.field = field
        return error
    }
}

extension RecordChangeError {
    /// What happened, to which record and field, in one line.
    public var description: String { summary + reason.detail }

    private var summary: String {
        switch code {
        case .identityChanged:
            "the record \(recordID.orUnknown) was to be changed, and has become \(newID.orUnknown)"
        case .contestedField:
            "the field \((field?.name.asLabel).orUnknown) of record \(recordID.orUnknown) is "
                + "\(Self.text(of: field?.client)) in the record to save and \(Self.text(of: field?.server)) in the "
                + "database's, and was \(Self.text(of: field?.ancestor))"
        case .unchangeableField: "a field of record \(recordID.orUnknown) cannot be changed"
        case .outsideScope: "the record \(recordID.orUnknown) does not belong to the repository"
        default: code.rawValue + (recordID.map { " (record \($0))" } ?? "")
        }
    }

    private static func text(of value: Record.Value?) -> String { value?.description ?? "absent" }
}
