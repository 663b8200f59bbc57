/// How the names of properties become the names of fields.
///
/// Both coders turn property names into field names, so that every strategy reads back what it wrote. The conversion
/// from a field to a property is only used when a type asks for all keys. The keys of dictionaries are data and are
/// never converted.
public enum KeyStrategy: Sendable {
    /// Field names are the property names.
    case unchanged

    /// `postalCode` becomes `postal_code`, `imageURL` becomes `image_url`.
    case snakeCase

    /// A closure makes field names of the property names.
    ///
    /// The first closure takes the `stringValue` of a coding key and returns the field's name, always the same one for
    /// a key. If two cases of an enumeration of keys have one field name, encoding fails. The second closure is the
    /// conversion back. Types that ask for all keys cannot be decoded without it, enumerations with payloads among
    /// them; for others it only saves calls the first time that they are decoded.
    case custom(_ fieldName: @Sendable (String) -> String, propertyName: (@Sendable (String) -> String)? = nil)

    func fieldName(for key: String) -> String {
        switch self {
        case .unchanged: key
        case .snakeCase: Self.snakeCased(key)
        case .custom(let fieldName, _): fieldName(key)
        }
    }

    /// The key of this type that a field belongs to; nil if the strategy cannot convert the field's name back.
    func key<Key: CodingKey>(_: Key.Type, forField name: String) -> Key? {
        switch self {
        case .unchanged:
            return Key(stringValue: name)
        case .snakeCase:
            func key(_ spelling: String) -> Key? {
                Key(stringValue: spelling).flatMap { Self.snakeCased($0.stringValue) == name ? $0 : nil }
            }
            return key(Self.camelCased(name)) ?? key(name) ?? Self.rareSpellings(name).lazy.compactMap(key).first
        case .custom(let fieldName, let propertyName):
            return Key(stringValue: propertyName?(name) ?? name).flatMap {
                fieldName($0.stringValue) == name ? $0 : nil
            }
        }
    }
}

extension KeyStrategy {
    /// A new word begins at an upper-case letter after a lower-case one or a digit, and at the last one of a run of
    /// upper-case letters that a lower-case one follows: `parseHTMLText` is three words.
    ///
    /// A letter includes its combining accents.
    static func snakeCased(_ key: String) -> String {
        let characters = Array(key)
        var result = ""
        for (position, character) in characters.enumerated() {
            let last = position > 0 ? characters[position - 1] : "_"
            if character.isUppercase, last != "_" {  // Characters: letters with accents
                let followsWord = !last.isUppercase  // Characters: letters with accents
                let next = characters.dropFirst(position + 1).first
                let endsRun = next?.isLowercase ?? false  // Characters: letters with accents
                if followsWord || endsRun { result += "_" }
            }
            result += character.lowercased()
        }
        return result
    }

    static func camelCased(_ name: String) -> String {
        let (head, words) = parts(of: name)
        return head + words.prefix(1).joined() + words.dropFirst().map(capitalized).joined()
    }

    /// Other spellings that a snake-case name can come from: words as acronyms, and with leading underscores.
    static func rareSpellings(_ name: String) -> [String] {
        let (head, words) = parts(of: name)
        // The number of spellings grows with each word: this tries hundreds, not thousands.
        guard let first = words.first, words.count <= 6 else { return [] }
        let separators = words.count <= 4 ? ["", "_"] : [""]
        var spellings = [String(first), first.uppercased(), capitalized(first)].map { head + $0 }
        for word in words.dropFirst() {
            let choices = Set([capitalized(word), word.uppercased(), String(word)])
            spellings = spellings.flatMap { start in
                separators.flatMap { separator in choices.map { start + separator + $0 } }
            }
        }
        return spellings
    }

    private static func parts(of name: String) -> (head: String, words: [Substring]) {
        let head = name.prefix { $0 == "_" }  // Characters: letters with accents
        let rest = name[head.endIndex...]
        let words = rest.split(separator: "_", omittingEmptySubsequences: false)  // Characters: letters with accents
        return (String(head), words)
    }

    private static func capitalized(_ word: Substring) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }
}

extension KeyStrategy {
    func formerFields(of names: [String]) -> [String] {
        if case .unchanged = self { names } else { names.map(fieldName) + names }
    }
}

extension KeyStrategy: CustomStringConvertible {
    /// The strategy's name.
    public var description: String {
        switch self {
        case .unchanged: "unchanged"
        case .snakeCase: "snakeCase"
        case .custom: "custom"
        }
    }
}
