import NestedRecords

private typealias Key = ContainerRoundTripTests.Key
private typealias OtherKey = ContainerRoundTripTests.OtherKey

enum SeveralKeys: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: Key.self)
        var second = encoder.container(keyedBy: OtherKey.self)
        try first.encode(numbers[0], forKey: .a)
        try second.encode(numbers[1], forKey: .x)
        try first.encode(numbers[2], forKey: .b)
        // The same field through another type of keys.
        try second.encode(numbers[2], forKey: .b)
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let first = try decoder.container(keyedBy: Key.self)
        let second = try decoder.container(keyedBy: OtherKey.self)
        return try [
            first.decode(Int.self, forKey: .a), second.decode(Int.self, forKey: .x),
            second.decode(Int.self, forKey: .b),
        ]
    }
}

enum Repeated: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        for (key, number) in zip([Key.c, .a, .b], numbers) {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(number, forKey: key)
        }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        try [Key.c, .a, .b].map { try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: $0) }
    }
}

enum RepeatedList: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        for number in numbers {
            var list = encoder.unkeyedContainer()
            try list.encode(number)
        }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        var list = try decoder.unkeyedContainer()
        // A second container begins at the first element again.
        var again = try decoder.unkeyedContainer()
        _ = try list.decode(Int.self)
        return try [again.decode(Int.self), list.decode(Int.self), list.decode(Int.self)]
    }
}

enum SuperEncoders: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        let encoders = numbers.map { _ in list.superEncoder() }
        for (number, encoder) in zip(numbers, encoders).reversed() { try [number].encode(to: encoder) }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        var list = try decoder.unkeyedContainer()
        var numbers: [Int] = []
        while !list.isAtEnd { numbers += try [Int](from: list.superDecoder()) }
        return numbers
    }
}

enum KeyedSuperEncoders: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let (a, b, base) = (
            container.superEncoder(forKey: .a), container.superEncoder(forKey: .b), container.superEncoder()
        )
        try numbers[2].encode(to: base)
        try ["k": numbers[1]].encode(to: b)
        try [numbers[0]].encode(to: a)
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let container = try decoder.container(keyedBy: Key.self)
        return try [Int](from: container.superDecoder(forKey: .a))
            + [String: Int](from: container.superDecoder(forKey: .b)).values
            + [Int(from: container.superDecoder())]
    }
}

enum Nulls: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for number in numbers {
            try list.encodeNil()
            try list.encode(number)
            var object = list.nestedContainer(keyedBy: Key.self)
            try object.encodeNil(forKey: .a)
        }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        var list = try decoder.unkeyedContainer()
        var numbers: [Int] = []
        while !list.isAtEnd {
            guard try list.decodeNil(), try !list.decodeNil() else { return [] }
            numbers.append(try list.decode(Int.self))
            let object = try list.nestedContainer(keyedBy: Key.self)
            guard try object.decodeNil(forKey: .a), object.contains(.a), !object.contains(.b) else { return [] }
            guard try object.decodeIfPresent(Int.self, forKey: .a) == nil else { return [] }
        }
        return numbers
    }
}

enum Generic: LayoutKind {
    private static func put<Container: KeyedEncodingContainerProtocol>(
        _ value: some Encodable, _ key: Container.Key, _ container: inout Container
    ) throws {
        try container.encodeIfPresent(Optional(value), forKey: key)
    }
    private static func get<Container: KeyedDecodingContainerProtocol, Value: Decodable>(
        _ key: Container.Key, _ container: Container
    ) throws -> Value? {
        try container.decodeIfPresent(Value.self, forKey: key)
    }
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (key, number) in zip([Key.a, .b, .c], numbers) { try put(number, key, &container) }
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let container = try decoder.container(keyedBy: Key.self)
        return try [Key.a, .b, .c].compactMap { try get($0, container) }
    }
}

enum EmptyContainers: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        _ = container.nestedContainer(keyedBy: Key.self, forKey: .a)
        _ = container.nestedUnkeyedContainer(forKey: .b)
        try container.encode(numbers, forKey: .c)
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let container = try decoder.container(keyedBy: Key.self)
        guard try container.nestedContainer(keyedBy: Key.self, forKey: .a).allKeys.isEmpty else { return [] }
        guard try container.nestedUnkeyedContainer(forKey: .b).isAtEnd else { return [] }
        return try container.decode([Int].self, forKey: .c)
    }
}

enum DeepSuper: LayoutKind {
    static func write(_ numbers: [Int], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var inner = container.superEncoder().container(keyedBy: Key.self)
        var list = inner.superEncoder().unkeyedContainer()
        try numbers.encode(to: list.superEncoder())
    }
    static func read(_ decoder: any Decoder) throws -> [Int] {
        let inner = try decoder.container(keyedBy: Key.self).superDecoder().container(keyedBy: Key.self)
        var list = try inner.superDecoder().unkeyedContainer()
        return try [Int](from: list.superDecoder())
    }
}
