/// The coding key for what has no key of its own: an element of a list, a name in a map, `super`.
///
/// As small as a string: types catch errors, which have coding paths, and a larger key would be allocated in each.
enum PathKey: CodingKey {
    case index(Int)
    case name(String)

    init(index: Int) { self = .index(index) }
    init(stringValue: String) { self = .name(stringValue) }
    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .name(let name): name
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
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

extension [any CodingKey] {
    /// The path, of a long one the beginning and the end.
    var shortPathText: String {
        let keys: [any CodingKey] = shortened { PathKey(stringValue: "…\($0) more…") }
        return keys.pathText
    }
}

extension Array {
    /// The array, or its beginning and its end with an element between them that says how many were left out.
    func shortened(_ middle: (Int) -> Element) -> [Element] {
        let kept = 4
        guard count > 3 * kept else { return self }
        return prefix(kept) + [middle(count - 2 * kept)] + suffix(kept)
    }
}
