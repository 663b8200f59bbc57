/// How the names of properties become the names of fields.
///
/// Both coders turn property names into field names, never back, so that whatever a strategy does reads back.
/// The keys of dictionaries are data and stay as they are.
public struct KeyStrategy: Sendable {
    enum Kind: Sendable {
        case unchanged
        case snakeCase
        case custom(@Sendable (String) -> String)
    }

    let kind: Kind

    /// Field names are property names.
    public static let unchanged = KeyStrategy(kind: .unchanged)

    /// `postalCode` becomes `postal_code`, `imageURL` becomes `image_url`.
    public static let snakeCase = KeyStrategy(kind: .snakeCase)

    /// Field names are what the closure makes of the property names.
    ///
    /// - Parameter fieldName: Takes the `stringValue` of a coding key and gives the field's name; the same one each
    ///   time. Two keys of a type with one field name are an error when a value is encoded.
    /// - Returns: A strategy.
    public static func custom(_ fieldName: @escaping @Sendable (String) -> String) -> KeyStrategy {
        KeyStrategy(kind: .custom(fieldName))
    }

    /// The name of the field for a key.
    func fieldName(for key: String) -> String {
        switch kind {
        case .unchanged: key
        case .snakeCase: Self.snakeCased(key)
        case .custom(let fieldName): fieldName(key)
        }
    }

    /// The key of this type that a field belongs to, as far as that can be told without being asked for the key.
    func key<Key: CodingKey>(_: Key.Type, forField name: String) -> Key? {
        switch kind {
        case .unchanged:
            return Key(stringValue: name)
        case .snakeCase:
            return Self.camelCased(name).lazy.compactMap(Key.init(stringValue:)).first {
                Self.snakeCased($0.stringValue) == name
            }
        case .custom(let fieldName):
            // What a closure does cannot be undone; it is known to fit only where it left the key alone.
            return Key(stringValue: name).flatMap { fieldName($0.stringValue) == name ? $0 : nil }
        }
    }
}

extension KeyStrategy {
    /// A new word begins at an upper-case letter after a lower-case one or a digit, and at the last one of a run of
    /// upper-case letters that a lower-case one follows: `parseHTMLText` is three words.
    static func snakeCased(_ key: String) -> String {
        let characters = Array(key)
        var result = ""
        for (position, character) in characters.enumerated() {
            if character.isUppercase, position > 0, characters[position - 1] != "_" {
                let followsWord = !characters[position - 1].isUppercase
                let endsRun = position + 1 < characters.count && characters[position + 1].isLowercase
                if followsWord || endsRun { result += "_" }
            }
            result += character.lowercased()
        }
        return result
    }

    /// The camel-case spellings that a snake-case name can come from: each later word capitalized or, as an acronym,
    /// in capitals.
    static func camelCased(_ name: String) -> [String] {
        // Past a few words the spellings in capitals throughout are not worth the time.
        let mostWords = 8
        let head = name.prefix { $0 == "_" }
        let words = name.dropFirst(head.count).split(separator: "_", omittingEmptySubsequences: false)
        guard let first = words.first, words.count <= mostWords else { return [name] }
        let starts = first.isEmpty ? [""] : [String(first), first.uppercased(), capitalized(first)]
        var spellings = starts.map { String(head) + $0 }
        for word in words.dropFirst() {
            let choices = Set([capitalized(word), word.uppercased(), String(word), "_" + word])
            spellings = spellings.flatMap { spelling in choices.map { spelling + $0 } }
            if spellings.count > 4_096 { return [name] }
        }
        return [name] + spellings
    }

    private static func capitalized(_ word: Substring) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }
}
