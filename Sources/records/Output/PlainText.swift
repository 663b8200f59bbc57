import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Record.Value {
    /// The value as a table cell: a string unchanged, lists and maps as typed JSON.
    var plainText: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .date(let value): value.recordString ?? typedText
        case .bytes(let value): Data(value).base64EncodedString()
        case .location(let value): "\(value)"
        case .reference(let value): value.id.description
        case .map where numberDigits != nil: numberDigits ?? typedText
        case .serverTimestamp, .list, .map: typedText
        }
    }

    /// The value as typed JSON.
    var typedText: String {
        var writer = JSONWriter()
        writer.write(typed: self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
