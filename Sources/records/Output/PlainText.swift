import NestedRecords

extension Record.Value {
    /// The value as a table cell: a string unchanged, lists and maps as typed JSON.
    var plainText: String { plainScalar?.text ?? numberDigits ?? typedText }

    /// The value as a cell that is read and not copied: lists, maps and bytes as in descriptions.
    var shownText: String { isCollection || kind == .bytes ? description : plainText }

    /// The value as typed JSON.
    var typedText: String {
        var writer = JSONWriter()
        writer.write(typed: self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
