#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Record.Value {
    /// Returns whether saving either of two values makes no difference.
    ///
    /// Stricter than equality: 0 and −0 differ, and so do names of fields in two Unicode spellings. Not-a-numbers are
    /// all the same, since databases need not keep their bits.
    /// Without recursion: values may be nested more deeply than a stack holds.
    func isIdentical(to other: Self) -> Bool {
        var open = [(self, other)]
        while let (left, right) = open.popLast() {
            switch (left, right) {
            case (.list(let left), .list(let right)):
                guard left.count == right.count else { return false }
                for (left, right) in zip(left, right) {
                    guard Self.isIdentical(left, right, open: &open) else { return false }
                }
            case (.map(let left), .map(let right)):
                guard left.count == right.count else { return false }
                for (position, field) in left.enumerated() {
                    guard let match = right.position(ofExactly: field.name, near: position),
                        Self.isIdentical(field.value, right.values[match], open: &open)
                    else { return false }
                }
            default:
                guard Self.isIdenticalScalar(left, right) else { return false }
            }
        }
        return true
    }

    private static func isIdentical(_ left: Self, _ right: Self, open: inout [(Self, Self)]) -> Bool {
        guard left.isCollection, right.isCollection else { return isIdenticalScalar(left, right) }
        open.append((left, right))
        return true
    }

    private static func isIdenticalScalar(_ left: Self, _ right: Self) -> Bool {
        switch (left, right) {
        case (.double(let left), .double(let right)): left.isIdentical(to: right)
        case (.date(let left), .date(let right)):
            left.timeIntervalSinceReferenceDate.isIdentical(to: right.timeIntervalSinceReferenceDate)
        case (.location(let left), .location(let right)):
            left.latitude.isIdentical(to: right.latitude) && left.longitude.isIdentical(to: right.longitude)
        default: isSameScalar(left, right)
        }
    }
}

extension Double {
    fileprivate func isIdentical(to other: Double) -> Bool { bitPattern == other.bitPattern || (isNaN && other.isNaN) }
}

extension Record.Fields {
    /// The position of the field whose name has these bytes.
    ///
    /// - Parameter hint: Its position if these fields have the same order as others.
    func position(ofExactly name: String, near hint: Int) -> Int? {
        if hint < names.count, names[hint].hasSameBytes(as: name) { return hint }
        return position(of: name).flatMap { names[$0].hasSameBytes(as: name) ? $0 : nil }
    }
}
