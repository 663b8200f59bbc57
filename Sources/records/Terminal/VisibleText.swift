/// Text as a terminal may show it: on one line, and without anything that the terminal would obey.
enum VisibleText {
    /// Whether a scalar is shown as an escape: control characters, line breaks, and what is invisible or turns the
    /// direction of writing, which could make a line read as what it is not.
    ///
    /// Joiners and variation selectors stay: they say how the scalars beside them are drawn.
    static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028...0x2029, 0xfff9...0xfffb: return true
        case 0x20..<0x7f: return false
        default:
            let properties = scalar.properties
            return properties.isDefaultIgnorableCodePoint && !properties.isJoinControl
                && !properties.isVariationSelector
        }
    }

    /// The escape of a scalar, as Swift would write it: `\n`, `\u{1b}`.
    static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: #"\u{"# + String(scalar.value, radix: 16) + "}"
        }
    }
}

extension VisibleText {
    /// JSON with its own escapes for what is not to be shown, which can only be in its strings.
    static func json(_ text: String) -> String {
        var visible = ""
        for scalar in text.unicodeScalars {
            // Line feeds are between the values.
            guard isEscaped(scalar), scalar != "\n" else {
                visible.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                visible += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return visible
    }
}

extension StringProtocol {
    /// This text with escapes for what a terminal would obey.
    var visible: String {
        if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return String(self) }
        var text = ""
        for scalar in unicodeScalars {
            if VisibleText.isEscaped(scalar) {
                text += VisibleText.escape(scalar)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Sequence<Character> {  // Characters: no grapheme is cut in two
    /// The start of this text that fits a number of columns, with escapes for what a terminal would obey.
    ///
    /// What is left out is marked by `…`, and no grapheme is cut in two. Only the part that is shown is looked at, so
    /// that a long text costs no more than a short one.
    ///
    /// - Parameter width: The columns that there are; with none the result is empty.
    func visible(within width: Int) -> String {
        guard width > 0 else { return "" }
        var kept = ""
        var keptWidth = 0
        // What still fits now, but has to go if anything follows that does not fit.
        var rest = ""
        for character in self {
            var piece = String(character)
            if character.unicodeScalars.contains(where: VisibleText.isEscaped) { piece = piece.visible }
            let pieceWidth = piece.displayWidth
            let restWidth = rest.displayWidth
            if keptWidth + restWidth + pieceWidth > width { return kept + "…" }
            if rest.isEmpty, keptWidth + pieceWidth < width {
                kept += piece
                keptWidth += pieceWidth
            } else {
                rest += piece
            }
        }
        return kept + rest
    }
}
