/// A line that is not the typed form of a record.
public struct RecordLineError: ClassifiedError {
    /// What kind of error this is.
    public var code: Code

    /// What was found and what was expected, in one line.
    public var reason: String?

    /// The number of the line, counted from 1.
    public var line: Int

    /// The number of the Unicode scalar in the line, counted from 1.
    public var column: Int

    /// The number of bytes before the place, from where reading began.
    public var offset: Int

    /// The record, where its ID was read.
    public var recordID: Record.ID?

    /// The field in which it is wrong, where its name was read.
    public var field: String?

    /// What the ID, the location or the record made of the line was refused with, if that is what is wrong.
    public var underlyingError: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What kind of error it is.
    ///   - reason: What was found and what was expected, in one line.
    ///   - line: The number of the line, counted from 1.
    ///   - column: The number of the Unicode scalar in the line, counted from 1.
    ///   - offset: The number of bytes before the place.
    ///   - recordID: The record, where its ID was read.
    ///   - field: The field, where its name was read.
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
    /// A line is not JSON, or not JSON that can be kept: it has a key twice, or a number that no field holds.
    public static var malformedJSON: Self { Self("malformedJSON", kind: .invalidInput) }

    /// A line only begins a value: the input is JSON that is laid out on many lines.
    public static var incompleteLine: Self { Self("incompleteLine", kind: .invalidInput) }

    /// A line is JSON, but not that of a record.
    public static var invalidRecord: Self { Self("invalidRecord", kind: .invalidInput) }
}

extension RecordLineError {
    /// The line and the column, what is wrong, and in which record and field, in one line.
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
