import NestedRecords

extension Record {
    /// The fields that most often describe a record.
    private static let informative = ["name", "title", "label"]

    /// The maximum number of bytes of a short string in any script.
    private static let longestShortText = 160

    /// The strings by which people recognise a record, each with its field: `name: "Ada"`.
    ///
    /// The descriptive fields come first, cut if they are long, then other fields with short strings in their order.
    /// A string that equals the record's name is left out.
    ///
    /// - Parameters:
    ///   - count: The maximum number of strings.
    ///   - width: The maximum number of columns of a string.
    func keyTexts(atMost count: Int, width: Int) -> [String] {
        var found: [String] = []
        func add(_ name: String, _ text: String) {
            found.append("\(name.visible): \"\(text.visible(within: width))\"")
        }
        for name in Self.informative where found.count < count {
            if let text = keyText(fields[name]) { add(name, text) }
        }
        for (name, value) in fields where !Self.informative.contains(name) {
            if found.count >= count { break }
            guard let text = keyText(value), text.utf8.count <= Self.longestShortText, text.displayWidth <= width
            else { continue }
            add(name, text)
        }
        return found
    }

    /// The text of a field; nil if it equals the record's name.
    private func keyText(_ value: Value?) -> String? {
        guard case .string(let text)? = value, !text.isEmpty, text != id.name else { return nil }
        return text
    }
}
