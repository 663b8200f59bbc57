/// The coding key for what has no key of its own: an element of a list, a name in a map, `super`.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init?(intValue: Int) {
        self.init(index: intValue)
    }

    static let `super` = PathKey(stringValue: "super")

    /// Whether this is the type of keys that dictionaries of the standard library use, which is not public.
    static func isDictionaryKey(_ type: any CodingKey.Type) -> Bool {
        String(reflecting: type) == "Swift._DictionaryCodingKey"
    }
}

extension [any CodingKey] {
    /// The path as one would write it in Swift: `students[2].name`.
    var pathText: String {
        reduce(into: "") { text, key in
            if let key = key as? PathKey, let index = key.intValue {
                text += "[\(index)]"
            } else if let index = key.intValue, key.stringValue == "Index \(index)" {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
