import Foundation

// Types with every shape of containers.

struct Empty: Codable, Equatable {}

/// Asks for no container at all.
struct Silent: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
}

struct Plain: Codable, Equatable {
    var number: Int
    var numberOfThings: Double
    var isOn: Bool
    var changedAt: Date
    var imageURL: URL
    var bytes: Data
    var texts: [String]

    init(_ generator: inout SplitMix64) {
        number = generator.integer()
        numberOfThings = generator.number()
        isOn = generator.chance(oneIn: 2)
        changedAt = generator.date()
        imageURL = generator.url()
        bytes = Data(generator.text().utf8)
        texts = [generator.text(), generator.text()]
    }
}

struct Texts: Codable, Equatable { var text: String }

struct Optionals: Codable, Equatable {
    var number: Int?
    var flag: Bool?
    var date: Date?
    var list: [Int?]?
    var inner: Texts?
    var map: [String: Texts?]?
    var decimal: Decimal?

    init(_ generator: inout SplitMix64) {
        if generator.chance(oneIn: 2) { number = generator.integer() }
        if generator.chance(oneIn: 2) { flag = false }
        if generator.chance(oneIn: 2) { date = generator.date() }
        if generator.chance(oneIn: 2) { list = [nil, generator.integer()] }
        if generator.chance(oneIn: 2) { inner = Texts(text: generator.text()) }
        if generator.chance(oneIn: 2) { map = ["a": nil, "b": Texts(text: generator.text())] }
        if generator.chance(oneIn: 2) { decimal = generator.decimal() }
    }
}

struct IntegerKeyed: Codable, Equatable {
    var first: String
    var second: Int?
    enum CodingKeys: Int, CodingKey { case first = 5, second = -1 }

    init(_ generator: inout SplitMix64) {
        first = generator.text()
        second = generator.chance(oneIn: 2) ? nil : 1
    }
}

struct OddKeyed: Codable, Equatable {
    var dots, slashes, emoji, combined, reference, map, space: Int
    enum CodingKeys: String, CodingKey {
        case dots = "a.b.c", slashes = "a/b", emoji = "👩‍👩‍👧‍👦", combined = "e\u{301}", reference = "$ref", map = "$map"
        case space = " a\n"
    }

    init(_ generator: inout SplitMix64) {
        dots = generator.integer()
        (slashes, emoji, combined, reference, map, space) = (1, 2, 3, 4, 5, 6)
    }
}

struct ValueKeyed: Codable, Equatable {
    var value: [String: Int]
    var other: Int?

    init(_ generator: inout SplitMix64) {
        value = generator.pick([[:], ["value": 1]])
        other = generator.pick([nil, 1])
    }
}

/// Has keys that are known only when it is written.
struct OpenKeyed: Codable, Equatable {
    var texts: [AnyKey: String] = [:]

    init(_ generator: inout SplitMix64) {
        for name in ["a", "camelCase", "snake_case", "a.b", "super"] where generator.chance(oneIn: 2) {
            texts[AnyKey(name)] = generator.text()
        }
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        for key in container.allKeys where container.contains(key) {
            texts[AnyKey(key.stringValue)] = try container.decode(String.self, forKey: key)
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (key, text) in texts { try container.encode(text, forKey: key) }
    }
}

struct Mixed: Codable, Equatable {
    var number: Int
    var text: String
    var date: Date?
    var inner: Texts
    var rest: [Bool]

    init(_ generator: inout SplitMix64) {
        number = generator.integer()
        text = generator.text()
        date = generator.chance(oneIn: 2) ? nil : generator.date()
        inner = Texts(text: generator.text())
        rest = [true, false]
    }
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        number = try list.decode(Int.self)
        text = try list.decode(String.self)
        date = try list.decodeNil() ? nil : list.decode(Date.self)
        inner = try list.decode(Texts.self)
        rest = []
        while !list.isAtEnd { rest.append(try list.decode(Bool.self)) }
    }
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(number)
        try list.encode(text)
        if let date { try list.encode(date) } else { try list.encodeNil() }
        try list.encode(inner)
        try list.encode(contentsOf: rest)
    }
}

struct Containers: Codable, Equatable {
    var numbers: [Int]
    var text: String
    var deep: Date
    enum Outer: CodingKey { case list, object, empty }
    enum Inner: CodingKey { case text, deeper }

    init(_ generator: inout SplitMix64) {
        numbers = [generator.integer(), 1]
        text = generator.text()
        deep = generator.date()
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Outer.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        var inner = try list.nestedUnkeyedContainer()
        numbers = []
        while !inner.isAtEnd { numbers.append(try inner.decode(Int.self)) }
        let object = try container.nestedContainer(keyedBy: Inner.self, forKey: .object)
        text = try object.decode(String.self, forKey: .text)
        let deeper = try object.nestedContainer(keyedBy: Inner.self, forKey: .deeper)
        deep = try deeper.decode(Date.self, forKey: .deeper)
        _ = try container.nestedContainer(keyedBy: Inner.self, forKey: .empty)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Outer.self)
        _ = container.nestedContainer(keyedBy: Inner.self, forKey: .empty)
        var object = container.nestedContainer(keyedBy: Inner.self, forKey: .object)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        var inner = list.nestedUnkeyedContainer()
        for number in numbers { try inner.encode(number) }
        var deeper = object.nestedContainer(keyedBy: Inner.self, forKey: .deeper)
        try object.encode(text, forKey: .text)
        try deeper.encode(deep, forKey: .deeper)
    }
}

struct ObjectsInList: Codable, Equatable {
    var texts: [String]
    enum CodingKeys: CodingKey { case text }

    init(_ generator: inout SplitMix64) { texts = [generator.text(), generator.text()] }
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        texts = []
        while !list.isAtEnd {
            texts.append(try list.nestedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .text))
        }
    }
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for text in texts {
            var object = list.nestedContainer(keyedBy: CodingKeys.self)
            try object.encode(text, forKey: .text)
        }
    }
}

struct Supers: Codable, Equatable {
    var date: Date
    var texts: Texts
    var list: [Int]
    enum CodingKeys: CodingKey { case texts, list, own }

    init(_ generator: inout SplitMix64) {
        date = generator.date()
        texts = Texts(text: generator.text())
        list = [generator.integer()]
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        date = try container.superDecoder().singleValueContainer().decode(Date.self)
        texts = try Texts(from: container.superDecoder(forKey: .texts))
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        self.list = try [Int](from: list.superDecoder())
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var single = container.superEncoder().singleValueContainer()
        try single.encode(date)
        try texts.encode(to: container.superEncoder(forKey: .texts))
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try self.list.encode(to: list.superEncoder())
    }
}

/// Has two values write to its own encoder, and writes itself too.
struct Merged: Codable, Equatable {
    var texts: Texts
    var integers: IntegerKeyed
    var own: Int
    enum CodingKeys: CodingKey { case own }

    init(_ generator: inout SplitMix64) {
        texts = Texts(text: generator.text())
        integers = IntegerKeyed(&generator)
        own = generator.integer()
    }
    init(from decoder: any Decoder) throws {
        integers = try IntegerKeyed(from: decoder)
        own = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .own)
        texts = try Texts(from: decoder)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try texts.encode(to: encoder)
        try container.encode(own, forKey: .own)
        try integers.encode(to: encoder)
    }
}

enum Payloads: Codable, Equatable {
    case none
    case one(Int)
    case two(a: String, b: Date?)
}

struct Tree: Codable, Equatable {
    var name: String
    var branches: [Tree]

    init(depth: Int, _ generator: inout SplitMix64) {
        name = generator.text()
        let count = depth == 0 ? 0 : generator.pick([0, 1, 2])
        branches = (0..<count).map { _ in Tree(depth: depth - 1, &generator) }
    }
}

struct ExplicitNil: Codable, Equatable {
    var number: Int?
    var list: [Int?]
    enum CodingKeys: CodingKey { case number, list }

    init(_ generator: inout SplitMix64) {
        number = generator.pick([nil, 0])
        list = [nil, generator.integer()]
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.number) else {
            throw DecodingError.dataCorruptedError(forKey: .number, in: container, debugDescription: "there is no key")
        }
        number = try container.decodeNil(forKey: .number) ? nil : container.decode(Int.self, forKey: .number)
        list = try container.decode([Int?].self, forKey: .list)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let number {
            try container.encode(number, forKey: .number)
        } else {
            try container.encodeNil(forKey: .number)
        }
        try container.encode(list, forKey: .list)
    }
}

struct FormDependent: Codable, Equatable {
    var text: String
    enum CodingKeys: CodingKey { case text }

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
        switch decoder.userInfo[.differentialForm] as? DifferentialForm {
        case .short: text = try decoder.singleValueContainer().decode(String.self)
        default: text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
        }
    }
    func encode(to encoder: any Encoder) throws {
        switch encoder.userInfo[.differentialForm] as? DifferentialForm {
        case .short:
            var container = encoder.singleValueContainer()
            try container.encode(text)
        default:
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(text, forKey: .text)
        }
    }
}

typealias DeepSingle = SingleValuePlace<SingleValuePlace<SingleValuePlace<Date>>>
