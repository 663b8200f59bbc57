extension StringProtocol {
    /// This text in lines of a maximum width, broken between words; a longer word has a line of its own.
    ///
    /// - Parameter width: The maximum number of columns of a line.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(whereSeparator: \.isWhitespace) {  // Characters: as they are shown
            if line.isEmpty {
                line = String(word)
            } else if line.displayWidth + 1 + word.displayWidth <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// This text with spaces after it, up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - displayWidth))
    }
}
