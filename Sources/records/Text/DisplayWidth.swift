/// The number of columns that text takes in a terminal.
///
/// Most terminals agree: wide East Asian characters and emoji take two columns, combining marks take none, everything
/// else takes one.
enum DisplayWidth {
    /// The columns of one grapheme.
    ///
    /// Control characters take none, since they are escaped before they are shown.
    static func width(of character: Character) -> Int {  // Characters: they take the columns
        let (first, rest) = (character.unicodeScalars.first, character.unicodeScalars.dropFirst())
        let joinsEmoji = rest.contains(where: isEmojiJoiner) && first?.properties.isEmoji == true
        return joinsEmoji ? 2 : character.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    /// Whether a scalar forms one emoji, two columns wide, with the emoji before it: a joiner, the selector of emoji
    /// presentation, a skin colour, the second letter of a flag.
    private static func isEmojiJoiner(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200d, 0xfe0f, 0x1f3fb...0x1f3ff, 0x1f1e6...0x1f1ff: true
        default: false
        }
    }

    /// The columns of one scalar.
    static func width(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7f..<0xa0).contains(value) ? 0 : 1 }
        switch value {
        // The vowels and finals of Hangul share the square of the preceding consonant.
        case 0x1160...0x11ff, 0xd7b0...0xd7ff: return 0
        // Half of a flag.
        case 0x1f1e6...0x1f1ff: return 1
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return 0
        case .format: return isVisibleFormat(value) ? 1 : 0
        default: return isWide(value) || scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// Whether a format character is visible: the signs before or over Arabic, Syriac and Kaithi numbers.
    private static func isVisibleFormat(_ value: UInt32) -> Bool {
        switch value {
        case 0x600...0x605, 0x6dd, 0x70f, 0x890...0x891, 0x8e2, 0x110bd, 0x110cd: true
        default: false
        }
    }

    /// Whether a scalar other than an emoji is wide or fullwidth in Unicode's table of East Asian widths.
    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        return switch value {
        case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x3247, 0x3250...0x4dbf, 0x4e00...0xa4c6,
            0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6b, 0xff01...0xff60,
            0xffe0...0xffe6, 0x16fe0...0x18d08, 0x1aff0...0x1b2fb, 0x1f200...0x1f265, 0x20000...0x3fffd:
            true
        default: false
        }
    }
}

extension StringProtocol {
    /// The number of columns of this text in a terminal, without its control characters.
    var displayWidth: Int {
        if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return utf8.count }
        return reduce(0) { $0 + DisplayWidth.width(of: $1) }
    }
}
