import NestedRecords

extension Record.Value {
    /// Whether this value is the one that a kept text had when it was written.
    func has(_ kept: KeptTexts.Value) -> Bool {
        switch self {
        case .reference(let reference): reference.id == kept.target
        case .null: true
        default: (try? JSONTree(Array(kept.text.utf8))).map { isNear($0, 1) } ?? false
        }
    }

    /// Whether this is the value of some JSON: a scalar, or a list of numbers that is nearest to it.
    private func isNear(_ text: JSONTree, _ node: Int) -> Bool {
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
