import Foundation
import NestedRecords

extension JSONTree {
    /// The value of an object in MongoDB's extended JSON, such as `{"$oid": "…"}`; nil for another object.
    func extendedValue(of node: Int) -> Record.Value? {
        guard let member = onlyMember(of: node), keyText(of: member).isMark else { return nil }
        let key = keyText(of: member)
        if key == "$date" { return date(from: member).map { .date($0) } }
        guard kind(of: member) == .text else { return nil }
        let text = text(of: member)
        switch key {
        case "$oid": return .string(text)
        case "$numberLong", "$numberInt": return Int64(text).map { .int($0) }
        case "$numberDouble": return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case "$numberDecimal":
            guard text.isJSONNumber else { return nil }
            if let value = Int64(text) { return .int(value) }
            let double = Double(text)
            return double?.description == text ? double.map { .double($0) } : .number(digits: text)
        default: return nil
        }
    }

    /// The date in a string, or in the milliseconds since 1970.
    private func date(from node: Int) -> Date? {
        if kind(of: node) == .text { return Date(recordString: text(of: node)) }
        var digits = kind(of: node) == .number ? json(of: node) : nil
        if let member = onlyMember(of: node), keyText(of: member) == "$numberLong", kind(of: member) == .text {
            digits = text(of: member)
        }
        return digits.flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }
}
