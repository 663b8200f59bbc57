// Not FoundationEssentials, which has no normalization.
import Foundation

/// A string to search for in other strings.
package struct TextSearch: Sendable {
    /// Without the differences that are ignored.
    private let text: String
    private let ignored: RecordFilter.TextDifferences

    package init(_ text: String, ignoring ignored: RecordFilter.TextDifferences) {
        self.text = text.without(ignored)
        self.ignored = ignored
    }

    package func isFound(in string: String) -> Bool {
        compare(string) { text, string, ignoresCase in string.contains(text, ignoresCase: ignoresCase) }
    }

    func isPrefix(of string: String) -> Bool {
        compare(string) { text, string, ignoresCase in string.hasPrefix(text, ignoresCase: ignoresCase) }
    }

    /// - Parameter isFound: Gets the text, the string, and whether it must compare ASCII letters of the string in lower case.
    private func compare(_ string: String, _ isFound: (BytesInPlace, BytesInPlace, Bool) -> Bool) -> Bool {
        text.withBytesInPlace { text in
            // A string of ASCII alone needs no copy, which takes up to 10 µs for a title.
            if !ignored.isEmpty, !string.withBytesInPlace(\.isASCII) {
                return string.without(ignored).withBytesInPlace { isFound(text, $0, false) }
            }
            return string.withBytesInPlace { isFound(text, $0, ignored.contains(.case)) }
        }
    }
}

extension String {
    /// A string that is the same for all strings that differ in nothing else.
    fileprivate func without(_ differences: RecordFilter.TextDifferences) -> String {
        if differences.isEmpty { return self }
        let letters = Self.letters[Int(differences.rawValue & 3)]
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.value < letters.count else { return mapped(without: differences) }
            text += letters[Int(scalar.value)]
        }
        return text
    }

    /// The scalars before the first combining mark without each of the differences.
    ///
    /// A string of these alone is mapped one by one, in a twentieth of the time: they neither combine nor change each other.
    private static let letters = [[], .case, .accents, [.case, .accents]].map {
        (differences: RecordFilter.TextDifferences) in
        (0..<0x300).compactMap(Unicode.Scalar.init).map { String($0).mapped(without: differences) }
    }

    private func mapped(without differences: RecordFilter.TextDifferences) -> String {
        var text = self
        if differences.contains(.accents) {
            var scalars = String.UnicodeScalarView()
            for scalar in decomposedStringWithCanonicalMapping.unicodeScalars
            where scalar.isASCII || scalar.properties.generalCategory != .nonspacingMark {
                scalars.append(scalar)
            }
            // Composed, so that the first letters of a Korean syllable are not found in it.
            text = String(scalars).precomposedStringWithCanonicalMapping
        }
        return differences.contains(.case) ? text.caseFolded : text
    }

    /// The string after Unicode's full case folding, except that Cherokee letters become lower case.
    ///
    /// The mappings to upper and lower case give the folding of every scalar except of the Turkish `ı`, which is its own.
    private var caseFolded: String {
        unicodeScalars.split(separator: "ı", omittingEmptySubsequences: false).map {
            String($0).lowercased().uppercased().lowercased()
        }.joined(separator: "ı")
    }
}
