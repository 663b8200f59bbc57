/// Errors in changes of records.
///
/// ``code`` identifies the error. Each code lists the properties that it sets.
public struct RecordChangeError: ClassifiedError, Hashable {
    /// What is wrong.
    public let code: Code

    /// The details, where the code alone is not enough.
    public let reason: String?

    /// The record to change.
    public let recordID: Record.ID?

    /// The record that it became.
    public private(set) var newID: Record.ID?

    /// The field with different changes on both sides.
    public private(set) var field: SaveConflict.Field?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: The details, or nil if the code is enough.
    ///   - recordID: The record to change, or nil.
    public init(_ code: Code, reason: String? = nil, recordID: Record.ID? = nil) {
        self.code = code
        self.reason = reason
        self.recordID = recordID
    }
}

extension ErrorCode<RecordChangeError> {
    /// A merged record or an updated value has another identity: `recordID`, `newID`.
    public static var identityChanged: Self { Self("identityChanged", kind: .invalidInput) }

    /// Both sides changed a field to different values, and the conflict was not resolved: `recordID`, `field`.
    public static var contestedField: Self { Self("contestedField", kind: .conflict) }

    /// The value of a field cannot be changed in the requested way: `recordID`.
    public static var unchangeableField: Self { Self("unchangeableField", kind: .invalidInput) }

    /// A value does not belong to the repository in which it was to be saved: `recordID`.
    public static var outsideScope: Self { Self("outsideScope", kind: .invalidInput) }
}

extension RecordChangeError {
    /// A merged record or an updated value has another identity.
    public static func identityChanged(from old: Record.ID, to new: Record.ID) -> RecordChangeError {
        var error = RecordChangeError(.identityChanged, recordID: old)
        error.newID = new
        return error
    }

    /// Both sides changed a field to different values, and the conflict was not resolved.
    public static func contestedField(_ field: SaveConflict.Field, in id: Record.ID) -> RecordChangeError {
        var error = RecordChangeError(.contestedField, recordID: id)
        error.field = field
        return error
    }
}

extension RecordChangeError {
    /// The error, its record and field, in one line.
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
