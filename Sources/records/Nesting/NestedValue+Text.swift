import NestedRecords

extension NestedValue {
    /// Whether this value is the one that a kept text had when it was written.
    func has(_ kept: KeptTexts.Value) -> Bool {
        switch self {
        case .plain(.reference(let reference)): reference.id == kept.target
        case .plain(.null): true
        case .plain(let value): (try? JSONTree(Array(kept.text.utf8))).map { value.isNear($0, 1) } ?? false
        case .record(let record): record.id == kept.target
        case .reference(let id): id == kept.target
        case .list, .map: false
        }
    }
}

extension Record.Value {
    /// Whether this is the value of some JSON: a scalar, or a list of numbers that is nearest to it.
    fileprivate func isNear(_ text: JSONTree, _ node: Int) -> Bool {
        switch text.kind(of: node) {
        case .number: return text.fieldNumber(of: node).value == self
        case .text: return self == .string(text.text(of: node)) || self == DocumentFlattening.date(text.text(of: node))
        case .object: return text.extendedValue(of: node) == self
        case .null, .bool: return false
        case .list:
            let elements = Array(text.children(of: node))
            guard case .list(let values) = self, elements.count == values.count else { return false }
            return zip(values, elements).allSatisfy { value, element in
                text.kind(of: element) == .number && value.isNear(text, element)
                    || value == .null && text.number(of: element) == nil
            }
        }
    }
}
