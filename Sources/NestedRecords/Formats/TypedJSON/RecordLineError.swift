#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A line that is not the typed form of a record.
public struct RecordLineError: Error, Sendable {
    /// The kinds of errors.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code of its name.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A line is not JSON, or not JSON that can be kept: it has a key twice, or a number that no field holds.
        public static let malformedJSON = Self(rawValue: "malformedJSON")

        /// A line only begins a value: the input is JSON that is laid out on many lines.
        public static let incompleteLine = Self(rawValue: "incompleteLine")

        /// A line is JSON, but not that of a record.
        public static let invalidRecord = Self(rawValue: "invalidRecord")

        /// Returns whether an error has this code, to catch it.
        ///
        /// - Parameters:
        ///   - code: The code.
        ///   - error: Any error.
        public static func ~= (code: Self, error: any Error) -> Bool {
            (error as? RecordLineError)?.code == code
        }
    }

    /// What kind of error this is.
    public var code: Code

    /// What was found and what was expected, in one line.
    public var reason: String

    /// The number of the line, counted from 1.
    public var line: Int

    /// The number of the Unicode scalar in the line, counted from 1.
    public var column: Int

    /// The number of bytes before the place, from where reading began.
    public var offset: Int

    /// The record, where its ID was read.
    public var record: Record.ID?

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
    ///   - record: The record, where its ID was read.
    ///   - field: The field, where its name was read.
    ///   - underlyingError: The error that occurred at this position.
    public init(
        _ code: Code, reason: String, line: Int, column: Int, offset: Int, record: Record.ID? = nil,
        field: String? = nil, underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
        self.offset = offset
        self.record = record
        self.field = field
        self.underlyingError = underlyingError
    }
}

extension RecordLineError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RecordLineError: CustomStringConvertible {
    /// The line and the column, what is wrong, and in which record and field, in one line.
    public var description: String {
        var text = "line \(line), column \(column): \(reason)"
        if let field {
            text += record.map { ", in record \($0)" } ?? ""
            text += ", field \(field.debugDescription)"
        } else if let record, underlyingError == nil {
            // An underlying error that concerns no field names the record itself.
            text += ", in record \(record)"
        }
        return text
    }
}
