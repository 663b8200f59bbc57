extension String {
    /// Whether two strings have the same bytes.
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether these bytes end with those of another string.
    func hasBytesAtEnd(_ end: String) -> Bool { utf8.suffix(end.utf8.count).elementsEqual(end.utf8) }

    /// Whether this name ends with one of some suffixes in small letters; case does not matter.
    func ends(withOneOf suffixes: [String]) -> Bool {
        let name = lowercased()
        return suffixes.contains { name.hasBytesAtEnd($0) }
    }

    /// This text with others in place of single characters.
    func replacing(_ texts: [Unicode.Scalar: String]) -> String { replacing { texts[$0] } }

    /// This text with an escape before each of the signs, also if marks combine with them.
    func escaping(_ signs: String, with escape: String) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if signs.unicodeScalars.contains(scalar) { text += escape }
            text.unicodeScalars.append(scalar)
        }
    }
}

extension ArraySlice<UInt8> {
    /// These bytes without spaces, tabs and line breaks at both ends.
    var withoutOuterSpace: ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let start = drop(while: isSpace)
        return start.prefix(upTo: start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex)
    }
}
