extension String {
    /// This text with an escape before each of some signs, whatever marks combine with them.
    func escaping(_ signs: String, with escape: String) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if signs.unicodeScalars.contains(scalar) { text += escape }
            text.unicodeScalars.append(scalar)
        }
    }
}
