import NestedRecords

/// The rows of a text in CSV or TSV, by RFC 4180.
///
/// A value in quotes may have delimiters, line breaks and doubled quotes. A quote that does not begin a value is a
/// character. Lines end with CR LF, LF or CR; an empty line is not a row.
struct DelimitedText {
    /// The name of the text in errors.
    let input: String

    private let bytes: [UInt8]
    private let delimiter: UInt8

    /// The line in which the last row begins, counted from 1.
    private var first = 0
    private var position = 0
    private var line = 1

    /// Begins at the first row of a text in UTF-8.
    init(_ bytes: [UInt8], delimiter: UInt8, of input: String) {
        (self.bytes, self.delimiter, self.input) = (bytes, delimiter, input)
    }

    /// The values of the next row, nil for an empty one without quotes; nil after the last row.
    ///
    /// - Throws: ``InputError``, also for bytes that are not UTF-8.
    mutating func next() throws -> [String?]? {
        while let byte = current, Self.isLineEnd(byte) { endLine() }
        if current == nil { return nil }
        var row: [String?] = []
        first = line
        while true {
            row.append(current == Self.quote ? try quotedValue() : try plainValue())
            guard let byte = current else { return row }
            if byte == delimiter {
                position += 1
                continue
            }
            guard Self.isLineEnd(byte) else {
                throw error("found a character after a closing quote, expected a delimiter or a new line")
            }
            endLine()
            return row
        }
    }

    /// The error for the last row.
    func error(_ reason: String) -> InputError { InputError(input: input, reason: "line \(first): \(reason)") }

    private static let quote = UInt8(ascii: "\"")

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func endLine() {
        let isPair = bytes[position...].starts(with: [0x0D, 0x0A])
        position += isPair ? 2 : 1
        line += 1
    }

    private mutating func plainValue() throws -> String? {
        let start = position
        while let byte = current, byte != delimiter, !Self.isLineEnd(byte) { position += 1 }
        return start == position ? nil : try text(bytes[start..<position])
    }

    private mutating func quotedValue() throws -> String {
        var value: [UInt8] = []
        position += 1
        while let byte = current {
            if byte == Self.quote {
                position += 1
                guard current == Self.quote else { return try text(value) }
            } else if Self.isLineEnd(byte) {
                let start = position
                endLine()
                value += bytes[start..<position]
                continue
            }
            value.append(byte)
            position += 1
        }
        throw error("found a quote that begins a value, and none that ends it")
    }

    private func text(_ bytes: some Collection<UInt8>) throws -> String {
        guard let text = String(validUTF8: Array(bytes)) else {
            throw error("found bytes that are not UTF-8: convert the text with 'iconv -f WINDOWS-1252 -t UTF-8'")
        }
        return text
    }
}
