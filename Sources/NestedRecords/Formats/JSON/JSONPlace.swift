/// A place in a text: line and column, both counted from 1.
///
/// Lines end with a line feed, a carriage return, or both. Columns count Unicode scalars.
package struct JSONPlace: Sendable, Hashable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Finds the place of an offset in a whole text, where a byte-order mark at the start has no column.
    package init(of offset: Int, in bytes: BytesInPlace) {
        let end = min(offset, bytes.count)
        var line = 1
        var column = 1
        var position = bytes.starts(with: JSONCursor.byteOrderMark) ? JSONCursor.byteOrderMark.count : 0
        while position < end {
            let byte = bytes[position]
            position += 1
            if byte == 0x0A || byte == 0x0D {
                if byte == 0x0D, position < end, bytes[position] == 0x0A { position += 1 }
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // A scalar is counted at its first byte; its other bytes begin with the bits 10.
                column += 1
            }
        }
        self.init(line: line, column: column)
    }
}

extension JSONPlace: CustomStringConvertible {
    package var description: String { "line \(line), column \(column)" }
}
