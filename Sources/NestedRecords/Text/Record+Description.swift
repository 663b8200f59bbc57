#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What records look like for people. The typed form, for programs, is the Codable conformance.

extension Record: CustomStringConvertible {
    /// The ID, and below it a line for each field.
    ///
    /// ```
    /// Person/harry
    ///     name: "Harry"
    ///     school: → School/hogwarts
    /// ```
    public var description: String {
        fields.reduce(into: id.description) { $0 += "\n    \($1.name): \($1.value)" }
    }
}

extension Record.Fields: CustomStringConvertible {
    /// The names and values in one line.
    public var description: String {
        isEmpty ? "{}" : "{\(map { "\($0.name): \($0.value)" }.joined(separator: ", "))}"
    }
}

extension Record.Value: CustomStringConvertible {
    /// The value in one line: texts in quotes, references as arrows, bytes by their number.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .date(let value):
            ISO8601.text(of: value) ?? "\(value.timeIntervalSinceReferenceDate) s since 2001"
        case .bytes(let value): "\(value.count) bytes"
        case .location(let value): "\(value)"
        case .reference(let value): "\(value)"
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        case .map(let fields): "\(fields)"
        }
    }
}

extension Record.Reference: CustomStringConvertible {
    /// An arrow and the target; a dotted one for a link, and a mark for an action.
    public var description: String {
        "\(isLink ? "⇢" : "→") \(id)\(action == .deleteSelf ? " (delete with it)" : "")"
    }
}

extension RecordGraph: CustomStringConvertible {
    /// The records one below the other.
    public var description: String { map(\.description).joined(separator: "\n") }
}
