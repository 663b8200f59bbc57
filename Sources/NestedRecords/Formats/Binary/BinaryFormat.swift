/// The binary form of a record; the article <doc:FileFormat> describes it byte by byte.
package enum BinaryFormat {
    package static let version: UInt8 = 1

    /// The maximum nesting depth of lists and maps in a field; the format itself has no limit.
    static let maximumNesting = Record.Value.maximumNesting

    /// The maximum number of consecutive combining marks in a name.
    ///
    /// The time to compare strings grows with the square of this number.
    static let mostMarksInARow = 1_000

    enum Kind: UInt8 {
        case null, `false`, `true`, int, double, string, date, bytes, location, list, map, serverTimestamp
        case reference, link, owningReference, owningLink, asset
    }
}

extension BinaryFormat.Kind {
    init(of reference: Record.Reference) {
        switch (reference.action, reference.isLink) {
        case (.none, false): self = .reference
        case (.none, true): self = .link
        case (.deleteSelf, false): self = .owningReference
        case (.deleteSelf, true): self = .owningLink
        }
    }
}

extension String {
    var hasTooManyMarks: Bool {
        // Each takes two bytes or more.
        guard utf8.count > 2 * BinaryFormat.mostMarksInARow else { return false }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > BinaryFormat.mostMarksInARow { return true }
        }
        return false
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}

extension [String] {
    var firstRepetition: Int? {
        if count > NameList.longestScan {
            var met = Set<String>(minimumCapacity: count)
            return firstIndex { !met.insert($0).inserted }
        }
        return indices.first { self[..<$0].contains(self[$0]) }
    }
}
