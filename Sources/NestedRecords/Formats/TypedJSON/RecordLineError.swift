/// A line that is not the typed form of a record.
public struct RecordLineError: ClassifiedError {
    /// The kind of the error.
    public var code: Code

    /// The unexpected and the expected input, in one line.
    public var reason: String?

    /// The number of the line, counted from 1.
    public var line: Int

    /// The number of the Unicode scalar in the line, counted from 1.
    public var column: Int

    /// The number of bytes before the error, from the beginning of the input.
    public var offset: Int

    /// The record, if its ID was read.
    public var recordID: Record.ID?

    /// The field with the error, if its name was read.
    public var field: String?

    /// The error of the ID, the location or the record that the line contains, if there is one.
    public var underlyingError: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - reason: The unexpected and the expected input, in one line.
    ///   - line: The number of the line, counted from 1.
    ///   - column: The number of the Unicode scalar in the line, counted from 1.
    ///   - offset: The number of bytes before the error.
    ///   - recordID: The record, if its ID was read.
    ///   - field: The field, if its name was read.
    ///   - underlyingError: The error that occurred at this position.
    public init(
        _ code: Code, reason: String, line: Int, column: Int, offset: Int, recordID: Record.ID? = nil,
        field: String? = nil, underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
        self.offset = offset
        self.recordID = recordID
        self.field = field
        self.underlyingError = underlyingError
    }
}

extension ErrorCode<RecordLineError> {
    /// A line is not JSON, or is JSON that records cannot hold: a repeated key, or a number that no field holds.
    public static var malformedJSON: Self { Self("malformedJSON", kind: .invalidInput) }

    /// A line only begins a value: the JSON of the input spans several lines.
    public static var incompleteLine: Self { Self("incompleteLine", kind: .invalidInput) }

    /// A line is JSON, but not a record.
    public static var invalidRecord: Self { Self("invalidRecord", kind: .invalidInput) }
}

extension RecordLineError {
    /// The place, the error, and its record and field, in one line.
    public var description: String {
        var text = "line \(line), column \(column)\(reason.detail)"
        if let field {
            text += recordID.map { ", in record \($0)" } ?? ""
            text += ", field \(field.debugDescription)"
        } else if let recordID, underlyingError == nil {
            // An underlying error that concerns no field names the record itself.
            text += ", in record \(recordID)"
        }
        return text
    }
}
