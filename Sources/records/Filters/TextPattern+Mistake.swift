import Foundation

extension TextPattern {
    /// The offset in UTF-8 of the first part that makes a text an invalid pattern, which `NSRegularExpression` does not say.
    ///
    /// A beginning of the text is right if it is valid with the ends of its groups and sets. If all are right, the end of
    /// the last open group or set is missing.
    static func mistake(in text: String) -> Int {
        var open: [(start: String.Index, isSet: Bool)] = []
        func offset(of index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }
        for part in text.matches(of: Self.part.matchingSemantics(.unicodeScalar)).map(\.output) {
            let (bytes, isInSet) = (Array(part.utf8), open.last?.isSet ?? false)
            switch (bytes[0], isInSet) {
            case (UInt8(ascii: "["), _) where bytes.count <= 2: open.append((part.startIndex, true))
            case (UInt8(ascii: "("), false) where bytes.last != UInt8(ascii: ")"): open.append((part.startIndex, false))
            case (UInt8(ascii: "]"), true): open.removeLast()
            case (UInt8(ascii: ")"), false): _ = open.popLast()
            default: break
            }
            let ends = open.reversed().map { $0.isSet ? "]" : ")" }.joined()
            // A set needs an element, and an operator in it another set.
            let fillers = open.last?.isSet ?? false ? ["", "\u{10FFFD}", "[\u{10FFFD}]"] : [""]
            let isRight = fillers.contains { filler in
                (try? NSRegularExpression(pattern: text[..<part.endIndex] + filler + ends)) != nil
            }
            if !isRight { return offset(of: part.startIndex) }
        }
        return offset(of: open.last?.start ?? text.startIndex)
    }

    /// A part of a pattern that is right or wrong as a whole: an escape, the start of a group or a set, a number of
    /// repetitions, or one character.
    private static var part: Regex<Substring> {
        #/
        (?s:\\(?:Q.*?(?:\\E|\z)|[pPxN]\{[^\}]*\}?|k<[^>]*>?|[xuU0][0-9A-Fa-f]{0,8}|.)?
        |\(\?(?:[a-zA-Z\-]*[:\)]|<?[=!]|<\w*>|>|\#[^\)]*\))
        |\[(?:\^|:[^:\]]*:\])?
        |\{[0-9,]*\}?
        |.)
        /#
    }
}
