package import NestedRecords

extension JSONValue: Equatable {
    /// Tells whether both have the same content.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left.content, right.content) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right && left.sign == right.sign
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONObject: Equatable {
    /// Tells whether both have the same keys with equal values, in whatever order.
    package static func == (left: Self, right: Self) -> Bool {
        guard left.keys.count == right.keys.count else { return false }
        if left.keys == right.keys { return left.values == right.values }
        // Keys of one object differ, so this keeps all of them.
        let others = Dictionary(zip(right.keys, right.values), uniquingKeysWith: { first, _ in first })
        return zip(left.keys, left.values).allSatisfy { others[$0] == $1 }
    }
}
