#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Values other than lists and maps as strings: for people, and for JSON without marks.

/// A value other than a list or a map in the form that JSON without marks has for it.
package enum PlainScalar {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case text(String)

    /// The value without quotes.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let value): value
        }
    }
}

extension Record.Value {
    /// The value in a form of JSON that does not show its kind: bytes are in base 64, a reference is its ID, and an asset
    /// its hash.
    ///
    /// Nil for a list, a map, the time of a save, and a date that no ISO 8601 string represents.
    package var plainScalar: PlainScalar? {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let value): .text(value)
        case .date(let value): ISO8601.text(of: value).map(PlainScalar.text)
        case .bytes(let value): .text(value.base64EncodedString())
        case .location(let value): .text(value.description)
        case .reference(let value): .text(value.id.description)
        case .asset(let value): .text(value.hash)
        case .list, .map, .serverTimestamp: nil
        }
    }

    /// The value for people; empty for a list or a map.
    var scalarDescription: String {
        switch self {
        case .null, .bool, .int, .double, .location: plainScalar?.text ?? ""
        case .string(let value): value.quoted
        case .date(let value): plainScalar?.text ?? "\(value.timeIntervalSinceReferenceDate) s since 2001"
        case .bytes(let value): "\(value.count) bytes"
        case .reference(let value): "\(value)"
        case .asset(let value): "asset (\(value))"
        case .serverTimestamp: "the time of the save"
        case .list, .map: ""
        }
    }
}
