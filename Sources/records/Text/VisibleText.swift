/// Text that is safe to show in a terminal: on one line, without control characters.
enum VisibleText {
    /// Whether a scalar is shown as an escape: control characters, line breaks, and scalars that are invisible or
    /// change the writing direction, which could disguise the content of a line.
    ///
    /// Joiners and variation selectors are kept, since they affect how adjacent scalars are drawn.
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

    /// The escape of a scalar in Swift syntax: `\n`, `\u{1b}`.
    static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: #"\u{"# + String(scalar.value, radix: 16) + "}"
        }
    }

    /// JSON with JSON escapes for scalars that must not be shown; these occur only in strings.
    static func json(_ text: String) -> String {
        text.replacing { scalar in
            // Line feeds occur only between values.
            guard isEscaped(scalar), scalar != "\n" else { return nil }
            return String(scalar).utf16.reduce(into: "") { escapes, unit in
                let digits = String(unit, radix: 16)
                escapes += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
    }
}

extension StringProtocol {
    /// This text with escapes for control characters and invisible characters.
    var visible: String {
        if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return String(self) }
        return replacing { VisibleText.isEscaped($0) ? VisibleText.escape($0) : nil }
    }

    /// This text with other text for some scalars.
    func replacing(_ replacement: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if let other = replacement(scalar) { text += other } else { text.unicodeScalars.append(scalar) }
        }
    }
}

extension Sequence<Character> {  // Characters: no grapheme is cut in two
    /// The prefix of this text that fits a number of columns, with escapes as in ``visible``.
    ///
    /// The mark `…` replaces omitted text, and no grapheme and no escape is split. The function reads little more than
    /// the shown part, so a long text costs no more than a short one.
    ///
    /// - Parameter width: The number of columns; with 0 the result is empty.
    func visible(within width: Int) -> String {
        guard width > 0 else { return "" }
        var kept = ""
        var keptWidth = 0
        // Text that fits, but must make room for the mark if later text does not fit.
        var rest = ""
        for piece in VisiblePieces(makeIterator()) {
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

extension String {
    /// This text in lines of a maximum width, with escapes as in ``visible``: folded after a space where there is one.
    func folded(to width: Int) -> [String] {
        var (lines, pieces, lineWidth): ([String], [String], Int) = ([], [], 0)
        for character in self {
            let piece = String(character).visible
            if !pieces.isEmpty, lineWidth + piece.displayWidth > width {
                let end = pieces.lastIndex(of: " ").map { $0 + 1 } ?? pieces.count  // Characters: pieces of one
                lines.append(pieces[..<end].joined())
                pieces.removeFirst(end)
                lineWidth = pieces.reduce(0) { $0 + $1.displayWidth }
            }
            pieces.append(piece)
            lineWidth += piece.displayWidth
        }
        return lines + [pieces.joined()]
    }
}

extension String {
    /// The text for an error, cut if it is long.
    var shortened: String { count > 60 ? prefix(60) + "…" : self }
}
