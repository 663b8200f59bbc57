/// An error in the binary form of a record.
///
/// ``code`` identifies the error. Each code lists the properties that it sets. The error consists of a few plain
/// values; the description is computed on demand.
public struct RecordFormatError: ClassifiedError, Hashable {
    /// What is wrong.
    public let code: Code

    /// The position of the invalid byte, from the first byte of the record.
    public internal(set) var offset: Int

    /// The invalid number, such as an unknown version.
    public let number: Int?

    /// The details, where the code alone is not enough.
    public let reason: String?

    /// The name of two fields.
    public let repeatedName: String?

    /// The record, if its ID was read.
    public internal(set) var recordID: Record.ID?

    /// The field with the error, if its name was read.
    public internal(set) var field: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - offset: The position of the invalid byte, from the first byte of the record.
    ///   - number: The invalid number, or nil.
    ///   - reason: The details, or nil if the code is enough.
    ///   - repeatedName: The name of two fields, or nil.
    ///   - recordID: The record, or nil if its ID was not read.
    ///   - field: The field with the error, or nil if its name was not read.
    public init(
        _ code: Code, at offset: Int, number: Int? = nil, reason: String? = nil, repeatedName: String? = nil,
        recordID: Record.ID? = nil, field: String? = nil
    ) {
        self.code = code
        self.offset = offset
        self.number = number
        self.reason = reason
        self.repeatedName = repeatedName
        self.recordID = recordID
        self.field = field
    }
}

extension ErrorCode<RecordFormatError> {
    /// The bytes end before the record does.
    public static var truncated: Self { Self("truncated", kind: .damaged) }

    /// The record ends before the bytes do: `number` bytes.
    public static var trailingBytes: Self { Self("trailingBytes", kind: .damaged) }

    /// The version of the format is unknown: `number`.
    public static var unknownVersion: Self { Self("unknownVersion", kind: .damaged) }

    /// The kind of a value is unknown: `number`.
    public static var unknownKind: Self { Self("unknownKind", kind: .damaged) }

    /// The metadata flag is neither 0 nor 1: `number`.
    public static var unknownMetadataMark: Self { Self("unknownMetadataMark", kind: .damaged) }

    /// A number is too large, or has more bytes than it needs.
    public static var invalidNumber: Self { Self("invalidNumber", kind: .damaged) }

    /// A string is not UTF-8.
    public static var invalidUTF8: Self { Self("invalidUTF8", kind: .damaged) }

    /// An ID is not valid: `reason`.
    public static var invalidID: Self { Self("invalidID", kind: .damaged) }

    /// A location is out of range.
    public static var invalidLocation: Self { Self("invalidLocation", kind: .damaged) }

    /// A field has no name.
    public static var emptyFieldName: Self { Self("emptyFieldName", kind: .damaged) }

    /// Two fields have one name: `repeatedName`.
    public static var repeatedFieldName: Self { Self("repeatedFieldName", kind: .damaged) }

    /// The name of a field has more consecutive combining marks than the format allows.
    public static var tooManyMarks: Self { Self("tooManyMarks", kind: .damaged) }

    /// Lists and maps are nested more deeply than the format allows.
    public static var nestedTooDeeply: Self { Self("nestedTooDeeply", kind: .damaged) }
}

extension RecordFormatError {
    /// The error, with its byte offset, record and field, in one line.
    public var description: String {
        var text = "\(summary)\(reason.detail) at byte \(offset)"
        if let recordID { text += " of record \(recordID)" }
        if let field { text += ", field \(field.debugDescription)" }
        return text
    }

    private var summary: String {
        switch code {
        case .truncated: "the bytes end before the record does"
        case .trailingBytes: "the record ends \(number.orUnknown) bytes before the bytes do"
        case .unknownVersion: "version \(number.orUnknown) of the record format is unknown"
        case .unknownKind: "there is no kind \(number.orUnknown) of values"
        case .unknownMetadataMark: "\(number.orUnknown) is not a valid metadata flag"
        case .invalidNumber: "a number is too large, or has more bytes than it needs"
        case .invalidUTF8: "a string is not UTF-8"
        case .invalidID: "an ID is not valid"
        case .invalidLocation: "a location is out of range"
        case .emptyFieldName: "a field has no name"
        case .repeatedFieldName: "two fields have the name \((repeatedName?.debugDescription).orUnknown)"
        case .tooManyMarks: "the name of a field has more than \(BinaryFormat.mostMarksInARow) combining marks in a row"
        case .nestedTooDeeply: "more than \(BinaryFormat.maximumNesting) nested lists and maps"
        default: code.rawValue
        }
    }
}
