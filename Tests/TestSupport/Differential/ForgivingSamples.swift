import Foundation

// Types that go on after errors, and types that throw errors of their own.

/// Fits whatever stands there.
struct Skipped: Decodable {
    init(from decoder: any Decoder) throws {}
}

/// Writes something else between its elements, and passes over it.
struct LossyList: Codable, Equatable {
    var values: [Int]
    var junk: String

    init(values: [Int], junk: String) {
        self.values = values
        self.junk = junk
    }
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        (values, junk) = ([], "")
        while !list.isAtEnd {
            if let value = try? list.decode(Int.self) {
                values.append(value)
            } else if let text = try? list.decode(String.self) {
                junk = text
            } else {
                _ = try list.decode(Skipped.self)
            }
        }
    }
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(junk)
        for value in values {
            try list.encode(value)
            try list.encode([junk])
            try list.encodeNil()
        }
    }
}

struct LossyBySuper: Codable, Equatable {
    var texts: [String]
    var junk: Int

    init(texts: [String], junk: Int) {
        self.texts = texts
        self.junk = junk
    }
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        (texts, junk) = ([], 0)
        while !list.isAtEnd {
            let element = try list.superDecoder()
            if let object = try? Texts(from: element) {
                texts.append(object.text)
            } else if let number = try? Int(from: element) {
                junk = number
            }
        }
    }
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for text in texts {
            try list.encode(Texts(text: text))
            try list.encode(junk)
            try list.encode(["\(text)"])
        }
    }
}

struct LossyMap: Codable, Equatable {
    var values: [String: Int]
    var junk: String

    init(values: [String: Int], junk: String) {
        self.values = values
        self.junk = junk
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        (values, junk) = ([:], "")
        for key in container.allKeys {
            if let value = try? container.decode(Int.self, forKey: key) {
                values[key.stringValue] = value
            } else if let text = try? container.decode(String.self, forKey: key) {
                junk = text
            }
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(junk, forKey: AnyKey("junk"))
        try container.encode([junk], forKey: AnyKey("more junk"))
        for (key, value) in values { try container.encode(value, forKey: AnyKey(key)) }
    }
}

/// Looks into each element with a copy of the list before it reads the element.
struct Peeking: Codable, Equatable {
    var parts: [Tagged]
    enum CodingKeys: CodingKey { case kind }

    init(parts: [Tagged]) { self.parts = parts }
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        parts = []
        while !list.isAtEnd {
            var peeking = list
            let object = try peeking.nestedContainer(keyedBy: CodingKeys.self)
            switch try object.decode(String.self, forKey: .kind) {
            case "plain": parts.append(.plain(try list.decode(Plain.self)))
            default: parts.append(.text(try list.decode(Texts.self)))
            }
        }
    }
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for part in parts { try list.encode(part) }
    }
}

struct Defaults: Codable, Equatable {
    var count: Int
    var name: String
    var list: [Int]
    let isWritten: Bool
    enum CodingKeys: CodingKey { case count, name, list }

    init(count: Int, isWritten: Bool) {
        self.isWritten = isWritten
        self.count = isWritten ? count : 7
        name = "none"
        list = isWritten ? [1] : []
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isWritten = container.contains(.count)
        count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 7
        name = try container.decodeIfPresent(String.self, forKey: .name) ?? "none"
        list = (try? container.decode([Int].self, forKey: .list)) ?? []
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        guard isWritten else { return }
        try container.encode(count, forKey: .count)
        try container.encode(list, forKey: .list)
    }
}

struct Fallback: Codable, Equatable {
    var number: Int
    var isText: Bool
    enum CodingKeys: CodingKey { case number }

    init(number: Int, isText: Bool) {
        self.number = isText ? 0 : number
        self.isText = isText
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        do {
            number = try container.decode(Int.self, forKey: .number)
            isText = false
        } catch DecodingError.typeMismatch(_, let context) {
            guard context.codingPath.last?.stringValue == "number" else { throw DecodingError.dataCorrupted(context) }
            number = 0
            isText = true
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if isText {
            try container.encode("zero", forKey: .number)
        } else {
            try container.encode(number, forKey: .number)
        }
    }
}

/// Was a string once.
struct Versioned: Codable, Equatable {
    var name: String
    var isOld: Bool
    enum CodingKeys: CodingKey { case name }

    init(name: String, isOld: Bool) {
        self.name = name
        self.isOld = isOld
    }
    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: CodingKeys.self) {
            name = try container.decode(String.self, forKey: .name)
            isOld = false
        } else {
            name = try decoder.singleValueContainer().decode(String.self)
            isOld = true
        }
    }
    func encode(to encoder: any Encoder) throws {
        if isOld {
            try name.encode(to: encoder)
        } else {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
        }
    }
}

struct SampleError: Error {}

/// Throws before it writes: what a part has written before it throws, JSON's encoder writes into the next value.
struct Failing: Encodable {
    func encode(to encoder: any Encoder) throws { throw SampleError() }
}

/// Goes on after a part that could not be encoded.
struct FailingPart: Codable, Equatable {
    var before: Int
    var after: String
    var hasPart = false
    var isOwnError = true
    enum CodingKeys: CodingKey { case before, part, parts, list, after, isOwnError }

    init(before: Int, after: String) {
        self.before = before
        self.after = after
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        before = try container.decode(Int.self, forKey: .before)
        after = try container.decode(String.self, forKey: .after)
        isOwnError = try container.decode(Bool.self, forKey: .isOwnError)
        hasPart = container.contains(.part) || container.contains(.parts)
        let list = try container.decode([Int].self, forKey: .list)
        guard list == [1, 2] else { throw SampleError() }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(before, forKey: .before)
        try? container.encode(Failing(), forKey: .part)
        do { try container.encode(Failing(), forKey: .parts) } catch {
            try container.encode(error is SampleError, forKey: .isOwnError)
        }
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1)
        try? list.encode(Failing())
        try list.encode(2)
        try container.encode(after, forKey: .after)
    }
}

/// Looks at errors of its parts.
struct OwnError: Codable, Equatable {
    struct Part: Codable {
        init() {}
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: AnyKey.self)
            throw SampleError()
        }
    }

    var number: Int
    var isOwnError = true
    enum CodingKeys: CodingKey { case number, part, parts }

    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        do { _ = try container.decode(Part.self, forKey: .part) } catch { isOwnError = error is SampleError }
        do { _ = try container.decode([Part].self, forKey: .parts) } catch {
            isOwnError = isOwnError && error is SampleError
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(Part(), forKey: .part)
        try container.encode([Part()], forKey: .parts)
    }
}

struct MissingSuper: Codable, Equatable {
    var number: Int
    enum CodingKeys: CodingKey { case number, missing }

    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        let missing = [try container.superDecoder(), try container.superDecoder(forKey: .missing)]
        for decoder in missing {
            guard try decoder.singleValueContainer().decodeNil() else { throw SampleError() }
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
    }
}

struct Reread: Codable, Equatable {
    var number: Int
    var readings: [String] = []
    enum CodingKeys: CodingKey { case number }

    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        func read<Value: Decodable>(_ type: Value.Type) {
            if let value = try? container.decode(type, forKey: .number) { readings.append("\(type) \(value)") }
        }
        read(Bool.self)
        read(Double.self)
        read(String.self)
        read(UInt8.self)
        read(Decimal.self)
        read([Int].self)
        read([String: Int].self)
        read(Texts.self)
        read(Int?.self)
    }
    static func == (left: Reread, right: Reread) -> Bool {
        left.number == right.number && (left.readings == right.readings)
    }
}
