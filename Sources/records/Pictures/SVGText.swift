extension String {
    /// This text escaped for XML, for elements and attributes.
    var xmlEscaped: String {
        visible.replacing { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            // XML forbids these characters.
            case "\u{fffe}", "\u{ffff}": VisibleText.escape(scalar)
            default: nil
            }
        }
    }
}

extension Double {
    /// The number with at most one digit after the point.
    var short: String {
        let tenths = (self * 10).rounded() / 10
        guard tenths != 0 else { return "0" }
        let text = "\(tenths)"
        return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
    }
}
