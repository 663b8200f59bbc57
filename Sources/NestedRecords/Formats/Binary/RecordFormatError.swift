/// An error in the binary form of a record, or in a line of typed JSON.
///
/// ``code`` identifies the error. Each code lists the properties that it sets. The error consists of a few plain
/// values; the description is computed on demand.
@_spi(Engines) public struct RecordFormatError: ClassifiedError {
    /// What is wrong.
    public let code: Code

    /// The number of bytes before the error, from the first byte of the record or of the lines.
    public internal(set) var offset: Int

    /// The number of the line, counted from 1; nil in the binary form.
    public private(set) var line: Int?

    /// The number of the Unicode scalar in the line, counted from 1; nil in the binary form.
    public private(set) var column: Int?

    /// The invalid number, such as an unknown version.
    public private(set) var number: Int?

    /// The details, where the code alone is not enough; of a line, the unexpected and the expected input.
    public let reason: String?

    /// The name of two fields.
    public private(set) var repeatedName: String?

    /// The record, if its ID was read.
    public internal(set) var recordID: Record.ID?

    /// The field with the error, if its name was read.
    public internal(set) var field: String?

    /// The error that an ID, a location or a record in the line caused, if any.
    public private(set) var underlyingError: (any Error)?

    package init(
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

    init(
        _ code: Code, _ fault: JSONFault, line: Int, column: Int, offset: Int, recordID: Record.ID?, field: String?
    ) {
        self.init(code, at: offset, reason: fault.reason, recordID: recordID, field: field)
        (self.line, self.column, underlyingError) = (line, column, fault.underlyingError)
    }
}

@_spi(Engines) extension ErrorCode<RecordFormatError> {
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

    /// An asset whose hash, size or texts have another form.
    public static var invalidAsset: Self { Self("invalidAsset", kind: .damaged) }

    /// A field has no name.
    public static var emptyFieldName: Self { Self("emptyFieldName", kind: .damaged) }

    /// Two fields have one name: `repeatedName`.
    public static var repeatedFieldName: Self { Self("repeatedFieldName", kind: .damaged) }

    /// The name of a field has more consecutive combining marks than the format allows.
    public static var tooManyMarks: Self { Self("tooManyMarks", kind: .damaged) }

    /// Lists and maps are nested more deeply than the format allows.
    public static var nestedTooDeeply: Self { Self("nestedTooDeeply", kind: .damaged) }

    // MARK: Lines

    /// A line is not JSON, or is JSON that records cannot hold: a repeated key, or a number that no field holds.
    public static var malformedJSON: Self { Self("malformedJSON", kind: .invalidInput) }

    /// A line only begins a value: the JSON of the input spans several lines.
    public static var incompleteLine: Self { Self("incompleteLine", kind: .invalidInput) }

    /// A line is JSON, but not a record.
    public static var invalidRecord: Self { Self("invalidRecord", kind: .invalidInput) }
}

extension RecordFormatError {
    /// The error, with its place, record and field, in one line.
    public var description: String {
        if let line, let column {
            // An underlying error that concerns no field names the record itself.
            let record = recordID.flatMap { field != nil || underlyingError == nil ? ", in record \($0)" : nil } ?? ""
            return "line \(line), column \(column)\(reason.detail)\(record)"
                + (field.map { ", field \($0.debugDescription)" } ?? "")
        }
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
        case .invalidAsset: "an asset does not have a valid hash, size or name"
        case .emptyFieldName: "a field has no name"
        case .repeatedFieldName: "two fields have the name \((repeatedName?.debugDescription).orUnknown)"
        case .tooManyMarks: "the name of a field has more than \(BinaryFormat.mostMarksInARow) combining marks in a row"
        case .nestedTooDeeply: "more than \(BinaryFormat.maximumNesting) nested lists and maps"
        default: code.rawValue
        }
    }
}
