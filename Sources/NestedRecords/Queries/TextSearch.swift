/// A string to search for in other strings.
package struct TextSearch: Sendable {
    /// In lower case if case is ignored.
    private let text: String
    private let ignoresCase: Bool

    package init(_ text: String, ignoresCase: Bool) {
        self.text = ignoresCase ? text.lowercased() : text
        self.ignoresCase = ignoresCase
    }

    package func isFound(in string: String) -> Bool {
        text.withBytesInPlace { text in
            // A string of ASCII alone needs no copy in lower case, which takes 2 µs for a title.
            if ignoresCase, !string.withBytesInPlace(\.isASCII) {
                return string.lowercased().withBytesInPlace { $0.contains(text, ignoresCase: false) }
            }
            return string.withBytesInPlace { $0.contains(text, ignoresCase: ignoresCase) }
        }
    }
}
