#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes that are not the binary form of a record.
public struct RecordFormatError: Error, Sendable {
    /// What is wrong.
    enum Reason: Sendable, Hashable {
        case truncated
        case trailingBytes(Int)
        case unknownVersion(UInt8)
        case unknownKind(UInt8)
        case unknownMetadataMark(UInt8)
        case invalidNumber
        case invalidText
        case invalidID(String)
        case invalidLocation
        case emptyFieldName
        case repeatedFieldName(String)
        case tooManyMarks
        case nestedTooDeeply
    }

    let reason: Reason

    /// The position of the byte where it is wrong, from the first byte of the record.
    public let offset: Int

    /// The record, where its ID was read.
    public internal(set) var record: Record.ID?

    /// The field in which it is wrong, where its name was read.
    public internal(set) var field: String?

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension RecordFormatError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RecordFormatError: CustomStringConvertible {
    /// What is wrong, at which byte of which record and field, in one line.
    public var description: String {
        var text = "\(reason) at byte \(offset)"
        if let record { text += " of record \(record)" }
        if let field { text += ", field \(field.debugDescription)" }
        return text
    }
}

extension RecordFormatError.Reason: CustomStringConvertible {
    var description: String {
        switch self {
        case .truncated: "the bytes end before the record does"
        case .trailingBytes(let count): "the record ends \(count) bytes before the bytes do"
        case .unknownVersion(let version): "there is no version \(version) of the form of records"
        case .unknownKind(let kind): "there is no kind \(kind) of values"
        case .unknownMetadataMark(let mark): "\(mark) does not tell whether there is metadata"
        case .invalidNumber: "a number is too large, or has more bytes than it needs"
        case .invalidText: "a text is not UTF-8"
        case .invalidID(let reason): "an ID is not valid: \(reason)"
        case .invalidLocation: "a location is out of range"
        case .emptyFieldName: "a field has no name"
        case .repeatedFieldName(let name): "two fields have the name \(name.debugDescription)"
        case .tooManyMarks: "the name of a field has more than \(BinaryFormat.mostMarksInARow) combining marks in a row"
        case .nestedTooDeeply: "more than \(BinaryFormat.maximumNesting) lists and maps stand in each other"
        }
    }
}
