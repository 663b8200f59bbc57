import Foundation

// Types whose code the compiler writes, and types with keys of every kind.

struct Empty: Codable, Equatable {}

struct Point: Codable, Hashable {
    var x: Int
    var y: Int?
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

indirect enum Payloads: Codable, Equatable {
    case none
    case one(Int)
    case line(Int, Int)
    case two(a: String, b: Date?)
    case mixed(Int, name: String, Empty?)
    case `super`(value: [Payloads])
}

enum Outcome<Success: Codable & Equatable, Failure: Codable & Equatable>: Codable, Equatable {
    case success(Success)
    case failure(Failure)
}

struct Tree: Codable, Equatable {
    var name: String
    var branches: [Tree]
    var byName: [String: Tree] = [:]

    init(depth: Int, _ generator: inout SplitMix64) {
        name = generator.text()
        let count = depth == 0 ? 0 : generator.pick([0, 1, 2])
        branches = (0..<count).map { _ in Tree(depth: depth - 1, &generator) }
        if depth == 1 { byName["a b"] = Tree(depth: 0, &generator) }
    }
}
