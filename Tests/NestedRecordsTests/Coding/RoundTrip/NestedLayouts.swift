import NestedRecords

private typealias Key = ContainerRoundTripTests.Key

enum Interleaved: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var object = container.nestedContainer(keyedBy: Key.self, forKey: .a)
        var list = container.nestedUnkeyedContainer(forKey: .b)
        try list.encode(numbers[0])
        try object.encode([numbers[1]], forKey: .a)
        try container.encode(["x": numbers[2]], forKey: .c)
        var deep = object.nestedUnkeyedContainer(forKey: .b)
        try list.encode([numbers[1]])
        try deep.encode(numbers[0])
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let container = try decoder.container(keyedBy: Key.self)
        let object = try container.nestedContainer(keyedBy: Key.self, forKey: .a)
        var list = try container.nestedUnkeyedContainer(forKey: .b)
        let last = try container.decode([String: Int].self, forKey: .c)
        var deep = try object.nestedUnkeyedContainer(forKey: .b)
        let first = try list.decode(Int.self)
        guard try deep.decode(Int.self) == first else { return [] }
        return try [first] + object.decode([Int].self, forKey: .a) + Array(last.values)
    }
}

enum InterleavedList: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        var object = list.nestedContainer(keyedBy: Key.self)
        var inner = list.nestedUnkeyedContainer()
        try list.encode(numbers[2])
        try inner.encode(numbers[1])
        try object.encode(numbers[0], forKey: .b)
        try inner.encode([[numbers[0]]])
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        var list = try decoder.unkeyedContainer()
        let object = try list.nestedContainer(keyedBy: Key.self)
        var inner = try list.nestedUnkeyedContainer()
        let last = try list.decode(Int.self)
        return try [object.decode(Int.self, forKey: .b), inner.decode(Int.self), last]
    }
}

enum NestedTwice: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (key, number) in zip([Key.a, .b, .c], numbers) {
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
            try nested.encode(number, forKey: key)
        }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let container = try decoder.container(keyedBy: Key.self)
        return try [Key.a, .b, .c].map {
            try container.nestedContainer(keyedBy: Key.self, forKey: .a).decode(Int.self, forKey: $0)
        }
    }
}

enum NestedListTwice: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for number in numbers {
            var nested = container.nestedUnkeyedContainer(forKey: .a)
            try nested.encode(number)
        }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        try decoder.container(keyedBy: Key.self).decode([Int].self, forKey: .a)
    }
}
