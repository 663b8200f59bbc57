#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The written form of a value other than a list or a map: plain if JSON has a form for it, otherwise marked.
struct TypedScalar {
    /// Content with a JSON form.
    enum Content {
        case null
        case bool(Bool)
        case integer(Int64)
        /// A finite number.
        case number(Double)
        case string(String)
    }

    /// The key of the content; nil for a plain value.
    let mark: TypedMark?
    let content: Content

    /// The members of a reference other than its mark, written if they are not the default.
    var isLink = false
    var action = Record.Reference.Action.none

    @inline(__always)
    private init(_ mark: TypedMark?, _ content: Content) {
        self.mark = mark
        self.content = content
    }

    /// Makes the form of a reference.
    @inline(__always)
    init(_ reference: Record.Reference) {
        self.init(.reference, .string(reference.id.description))
        isLink = reference.isLink
        action = reference.action
    }

    /// Makes the form of a value; nil for a list or a map.
    @inline(__always)
    init?(_ value: Record.Value) {
        switch value {
        case .null: self.init(nil, .null)
        case .bool(let value): self.init(nil, .bool(value))
        case .int(let value): self.init(nil, .integer(value))
        case .double(let value):
            // An integral number would read as an integer.
            let isPlain = value.isFinite && value.rounded() != value
            self.init(isPlain ? nil : .double, Self.exact(value))
        case .string(let value): self.init(nil, .string(value))
        case .date(let value):
            let text = ISO8601.text(of: value).map(Content.string)
            self.init(.date, text ?? Self.exact(value.timeIntervalSinceReferenceDate))
        case .bytes(let value): self.init(.bytes, .string(value.base64EncodedString()))
        case .location(let value): self.init(.location, .string(value.description))
        case .reference(let value): self.init(value)
        case .serverTimestamp: self.init(.serverTimestamp, .bool(true))
        case .list, .map: return nil
        }
    }

    /// The content of a number, which may be not finite.
    private static func exact(_ value: Double) -> Content {
        if value.isFinite { return .number(value) }
        let isUsual = !value.isNaN || value.bitPattern == Double.nan.bitPattern
        return .string(isUsual ? value.description : "0x" + String(value.bitPattern, radix: 16))
    }
}

extension TypedScalar: Encodable {
    func encode(to encoder: any Encoder) throws {
        guard let mark else {
            var container = encoder.singleValueContainer()
            switch content {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            }
            return
        }
        var container = encoder.container(keyedBy: PathKey.self)
        let key = PathKey(stringValue: mark.rawValue)
        switch content {
        case .null: try container.encodeNil(forKey: key)
        case .bool(let value): try container.encode(value, forKey: key)
        case .integer(let value): try container.encode(value, forKey: key)
        case .number(let value): try container.encode(value, forKey: key)
        case .string(let value): try container.encode(value, forKey: key)
        }
        if isLink { try container.encode(true, forKey: PathKey(stringValue: TypedKey.link)) }
        if action != .none { try container.encode(action.rawValue, forKey: PathKey(stringValue: TypedKey.action)) }
    }
}

extension Record.Fields {
    /// Whether a name of these fields looks like a mark, so that their map is marked.
    var needMark: Bool { names.contains(where: TypedMark.isMark) }
}
