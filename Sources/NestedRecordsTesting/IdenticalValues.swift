import NestedRecords

extension Record.Value {
    /// Returns whether two values are identical bit by bit; `==` treats both zeros, and both spellings of an accented
    /// letter, as equal.
    func isIdentical(to other: Self) -> Bool {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
        case (.map(let left), .map(let right)):
            left.count == right.count && left.allSatisfy { right.hasIdentical($0) }
        default:
            self == other
        }
    }
}

extension Record.Fields {
    fileprivate func hasIdentical(_ field: Element) -> Bool {
        contains { $0.name.utf8.elementsEqual(field.name.utf8) && $0.value.isIdentical(to: field.value) }
    }
}
