import Foundation

/// A type that containers have no call for.
protocol CallOther: Codable, Sendable {}

extension URL: CallOther {}
extension UUID: CallOther {}
extension Date: CallOther {}
extension Data: CallOther {}
extension Decimal: CallOther {}
extension [Int]: CallOther {}
extension [String: Int]: CallOther {}
enum CallText: String, CallOther, CaseIterable { case first, second = "a.b", third = "" }

/// A value without containers of its own, or with a form that coders know.
enum CallLeaf: Sendable {
    case bool(Bool), int(Int), int8(Int8), int16(Int16), int32(Int32), int64(Int64)
    case uint(UInt), uint8(UInt8), uint16(UInt16), uint32(UInt32), uint64(UInt64)
    case float(Float), double(Double), string(String), optional(Int?)
    case other(Kind, any CallOther)

    var text: String {
        if case .other(_, let map as [String: Int]) = self { return "map \(map.sorted { $0.key < $1.key })" }
        return "\(self)"
    }

    enum Kind: Int, CaseIterable, Sendable {
        case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float, double, string, url, uuid
        case list, map, optional, raw, date, data, decimal

        /// Whether only this kind is read where it was written.
        ///
        /// JSON writes dates, bytes and decimal numbers as values of other kinds, and reads them as these. Records do not.
        var isReadAsItselfAlone: Bool { self == .date || self == .data || self == .decimal }

        /// Whether JSON's coders have another form for it than its type writes to an encoder.
        var hasOtherForm: Bool { self == .data || self == .decimal || self == .url }

        /// The type of a kind that containers have no call for.
        var otherType: any CallOther.Type {
            switch self {
            case .url: URL.self
            case .uuid: UUID.self
            case .date: Date.self
            case .data: Data.self
            case .decimal: Decimal.self
            case .list: [Int].self
            case .map: [String: Int].self
            default: CallText.self
            }
        }
    }

    var kind: Kind {
        switch self {
        case .bool: .bool
        case .int: .int
        case .int8: .int8
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .uint: .uint
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        case .uint64: .uint64
        case .float: .float
        case .double: .double
        case .string: .string
        case .optional: .optional
        case .other(let kind, _): kind
        }
    }
}
