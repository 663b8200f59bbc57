/// The coding key of an element of a list, a name in a map, or `super`.
///
/// It is as small as a string: types catch errors, which have coding paths, and a larger key would be allocated in
/// each.
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

    /// Whether this is the standard library's key type for dictionaries, which is not public.
    static func isDictionaryKey(_ type: any CodingKey.Type) -> Bool {
        String(reflecting: type) == "Swift._DictionaryCodingKey"
    }
}

extension [any CodingKey] {
    /// The path in Swift notation: `students[2].name`.
    var pathText: String {
        reduce(into: "") { text, key in
            if let index = key.intValue, key.stringValue == "Index \(index)" {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }

    /// The path; of a long path the beginning and the end.
    var shortPathText: String {
        let keys: [any CodingKey] = shortened { PathKey(stringValue: "…\($0) more…") }
        return keys.pathText
    }
}

extension Array {
    /// The array; a long one is reduced to its beginning and end, with an element between them that counts the others.
    func shortened(_ middle: (Int) -> Element) -> [Element] {
        let kept = 4
        guard count > 3 * kept else { return self }
        return prefix(kept) + [middle(count - 2 * kept)] + suffix(kept)
    }
}
