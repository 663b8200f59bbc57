import NestedRecords

extension Record {
    /// Fields that most often describe a record.
    private static let telling = ["name", "title", "label"]

    /// Strings with more bytes than this are not short in any script.
    private static let longestShortText = 160

    /// The strings by which people recognise a record, each with its field: `name: "Ada"`.
    ///
    /// First the fields that are known to describe records, cut if they are long, then others with short strings in
    /// their order. A string that only repeats the record's name is left out.
    ///
    /// - Parameters:
    ///   - count: At most so many.
    ///   - width: The columns that a text may take.
    func keyTexts(atMost count: Int, width: Int) -> [String] {
        var found: [String] = []
        func add(_ name: String, _ text: String) {
            found.append("\(name.visible): \"\(text.visible(within: width))\"")
        }
        for name in Self.telling where found.count < count {
            if let text = keyText(fields[name]) { add(name, text) }
        }
        for (name, value) in fields where !Self.telling.contains(name) {
            if found.count >= count { break }
            guard let text = keyText(value), text.utf8.count <= Self.longestShortText, text.displayWidth <= width
            else { continue }
            add(name, text)
        }
        return found
    }

    /// The text of a field, if it says more than the record's name.
    private func keyText(_ value: Value?) -> String? {
        guard case .string(let text)? = value, !text.isEmpty, text != id.name else { return nil }
        return text
    }
}
