/// How embedded values, which are no records of their own, are stored.
public enum EmbeddingStrategy: Sendable, Hashable {
    /// A value is a map in one field.
    case map

    /// The fields of a value become fields of the record, each with the name of the property and the separator before
    /// its own: `cover_small`, `cover_large`.
    ///
    /// Lists and dictionaries stay what they are, with all that is in them. A value without fields stays an empty map.
    /// Where another property's field begins with the same name and separator, encoding fails, so that fields are
    /// never taken for those of another property; this also holds where the embedded value is nil.
    case flattened(separator: String = "_")

    /// What stands between the names of flattened fields; nil where values are not flattened.
    var separator: String? {
        if case .flattened(let separator) = self { separator } else { nil }
    }
}

extension Record.Fields {
    /// The fields whose names begin with this text, without it; nil if there are none.
    func withoutPrefix(_ prefix: String) -> Record.Fields? {
        var rest = Record.Fields()
        for (name, value) in self where name.utf8.starts(with: prefix.utf8) {
            rest.append(String(Substring(name.utf8.dropFirst(prefix.utf8.count))), value)
        }
        return rest.isEmpty ? nil : rest
    }
}

extension String {
    /// The beginnings of this text that end before the separator, the shortest first.
    func beginnings(before separator: String) -> [String] {
        let (text, separator) = (Array(utf8), Array(separator.utf8))
        return text.indices.dropFirst().compactMap { end in
            text[end...].starts(with: separator) ? String(decoding: text[..<end], as: UTF8.self) : nil
        }
    }
}
