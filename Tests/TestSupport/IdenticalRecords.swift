import Foundation
package import NestedRecords

extension Record.Value {
    /// Tells whether two values are the same to the last bit, which equality does not ask of zeros and texts.
    package func hasSameBits(as other: Self) -> Bool {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.location(let left), .location(let right)):
            left.latitude.bitPattern == right.latitude.bitPattern
                && left.longitude.bitPattern == right.longitude.bitPattern
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.hasSameBits(as: $1) }
        case (.map(let left), .map(let right)):
            left.count == right.count
                && left.allSatisfy { field in
                    right.contains {
                        $0.name.utf8.elementsEqual(field.name.utf8) && $0.value.hasSameBits(as: field.value)
                    }
                }
        default:
            self == other
        }
    }
}

extension Record {
    package func isIdentical(to other: Self) -> Bool {
        self == other && Value.map(fields).hasSameBits(as: .map(other.fields))
    }
}
