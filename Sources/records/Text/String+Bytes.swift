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
