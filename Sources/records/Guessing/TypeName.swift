/// Names of record types, made of keys and names of files.
enum TypeName {
    private static let irregular = [
        "children": "child", "people": "person", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot",
        "teeth": "tooth", "geese": "goose", "indices": "index", "matrices": "matrix", "vertices": "vertex",
        "movies": "movie", "cookies": "cookie", "axes": "axis", "analyses": "analysis", "crises": "crisis",
        "caches": "cache", "databases": "database", "statuses": "status", "buses": "bus", "ties": "tie", "pies": "pie",
        "criteria": "criterion", "phenomena": "phenomenon", "leaves": "leaf", "lives": "life", "wolves": "wolf",
        "shelves": "shelf", "knives": "knife", "halves": "half", "selves": "self", "heroes": "hero",
        "potatoes": "potato", "echoes": "echo", "zombies": "zombie", "calories": "calorie", "quizzes": "quiz",
        "aliases": "alias", "licences": "licence", "defs": "definition", "uses": "use", "menus": "menu",
    ]
    private static let invariant: Set<String> = [
        "series", "species", "news", "data", "metadata", "status", "address", "class", "alias", "bus", "canvas",
        "atlas", "gas", "lens", "always", "is", "has", "this", "js", "css", "https", "dns", "tls", "os", "sms", "gps",
        "headquarters", "previous", "us", "macos", "ios",
    ]

    /// Ends of joined words.
    private static let irregularEnds = ["aliases": "alias", "statuses": "status", "indices": "index"]

    /// The singular of an English word in small letters.
    static func singular(of word: String) -> String {
        if let word = irregular[word] { return word }
        func without(_ count: Int) -> String { String(decoding: word.utf8.dropLast(count), as: UTF8.self) }
        func ends(_ end: String) -> Bool { word.utf8.suffix(end.utf8.count).elementsEqual(end.utf8) }
        if invariant.contains(word) || word.utf8.count < 3 || !ends("s") || ends("ss") || ends("us") || ends("is") {
            return word
        }
        if let (plural, word) = Self.irregularEnds.first(where: { ends($0.key) }) {
            return without(plural.utf8.count) + word
        }
        if ends("ies"), word.utf8.count > 4 { return without(3) + "y" }
        if ["sses", "ches", "shes", "xes", "zzes", "uses"].contains(where: ends), !ends("ouses"), !ends("auses") {
            return without(2)
        }
        return without(1)
    }

    /// Whether the last word of a key is in the plural.
    static func isPlural(_ key: String) -> Bool { words(of: key).last.map { singular(of: $0) != $0 } ?? false }

    /// A type in capitals and without a plural; nil if no letter is left.
    static func type(of key: String) -> String? {
        var words = words(of: key)
        if let first = words.first {
            // A type begins with a letter.
            words[0] = String(decoding: first.utf8.drop { (0x30...0x39).contains($0) }, as: UTF8.self)
        }
        words = words.drop(while: \.isEmpty) + []
        guard let last = words.popLast() else { return nil }
        let name = (words + [singular(of: last)]).map(\.capital).joined()
        guard let first = name.utf8.first, !(0x30...0x39).contains(first), name.utf8.count <= 200 else { return nil }
        return name
    }

    /// The type that an object says itself: also the end of a URI, such as `schema:Person`.
    static func type(ofValue text: String) -> String? {
        let end = text.utf8.lastIndex { "#/:".utf8.contains($0) }.map(text.utf8.index(after:)) ?? text.startIndex
        let name = String(decoding: text.utf8[end...], as: UTF8.self)
        let isType =
            name.utf8.first.map { (0x41...0x5A).contains($0) } ?? false
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        return isType ? name : type(of: name)
    }

    /// Ends of the names of files that say which part or state of the data they have.
    private static let qualifiers: Set<String> = [
        "small", "large", "big", "full", "all", "part", "sample", "example", "test", "copy", "backup", "export", "dump",
        "old", "new", "final", "latest", "min", "v",
    ]

    /// The type that the name of a file gives: parts and versions of a file give the same.
    static func type(ofFile name: String) -> String? {
        var words = words(of: name)
        func isQualifier(_ word: String) -> Bool {
            let letters = String(
                decoding: word.utf8.reversed().drop { (0x30...0x39).contains($0) }.reversed(), as: UTF8.self)
            return letters.isEmpty || qualifiers.contains(letters)
        }
        while words.count > 1, let last = words.last, isQualifier(last) { words.removeLast() }
        return type(of: words.joined(separator: " "))
    }

    /// The words of a key in small letters, where letters lose their accents.
    private static func words(of key: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasSmall = false
        var scalars = Array(key.unicodeScalars)
        scalars.append(" ")
        for (position, scalar) in scalars.enumerated() {
            guard let letter = letter(scalar) else {
                if !scalar.properties.isDiacritic, !word.isEmpty {
                    words.append(word)
                    word = ""
                }
                wasSmall = false
                continue
            }
            let isCapital = (0x41...0x5A).contains(letter.value)
            let next = scalars[min(position + 1, scalars.count - 1)].value
            // A capital begins a word after a small letter, and before one in a row of capitals.
            if isCapital, !word.isEmpty, wasSmall || (0x61...0x7A).contains(next) && next != UInt8(ascii: "s") {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(isCapital ? Unicode.Scalar(UInt8(letter.value + 0x20)) : letter)
            wasSmall = !isCapital
        }
        return words
    }

    private static func letter(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar.isASCII {
            return (0x30...0x39).contains(scalar.value) || scalar.properties.isAlphabetic ? scalar : nil
        }
        // "LATIN SMALL LETTER O WITH DIAERESIS"
        let words = scalar.properties.name?.split(separator: " ") ?? []
        guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[3].utf8.count == 1, words[4] == "WITH",
            let letter = words[3].unicodeScalars.first
        else { return nil }
        return words[1] == "SMALL" ? Unicode.Scalar(letter.value + 0x20) : letter
    }
}

extension String {
    fileprivate var capital: String {
        guard let first = utf8.first, (0x61...0x7A).contains(first) else { return self }
        return String(decoding: [first - 0x20], as: UTF8.self) + String(decoding: utf8.dropFirst(), as: UTF8.self)
    }
}
