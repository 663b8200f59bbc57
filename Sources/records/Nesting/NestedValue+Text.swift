import NestedRecords

extension NestedValue {
    /// Whether this value is the one that a kept text had when it was written.
    ///
    /// - Parameters:
    ///   - text: The document of the text.
    ///   - key: The key of the value, which may be the name of a record.
    func has(_ text: JSONTree, at key: String) -> Bool {
        switch self {
        case .plain(.reference(let reference)): Self.isNamed(reference.id.name, text, key)
        case .plain(.null): true
        case .plain(let value): value.isNear(text, 1)
        case .record(let record): Self.isNamed(record.id.name, text, key)
        case .reference(let id): Self.isNamed(id.name, text, key)
        case .list, .map: false
        }
    }

    private static func isNamed(_ name: String, _ text: JSONTree, _ key: String) -> Bool {
        func isSame(_ other: String) -> Bool {
            other.utf8.elementsEqual(name.utf8) || name.spelledAsUUID.map { $0 == other.spelledAsUUID } ?? false
        }
        return isSame(key) || text.kind(of: 1) == .text && isSame(text.text(of: 1))
            || text.children(of: 1).contains { text.name(from: $0).map(isSame) ?? false }
    }
}

extension Record.Value {
    /// Whether this is a number, or a list of numbers, that is nearest to a text.
    fileprivate func isNear(_ text: JSONTree, _ node: Int) -> Bool {
        guard case .list(let values) = self else {
            return text.kind(of: node) == .number && text.fieldNumber(of: node).value == self
        }
        let elements = Array(text.children(of: node))
        return text.kind(of: node) == .list && elements.count == values.count
            && zip(values, elements).allSatisfy { value, element in
                text.kind(of: element) == .number
                    && (text.fieldNumber(of: element).value == value
                        || value == .null && text.number(of: element) == nil)
            }
    }
}
