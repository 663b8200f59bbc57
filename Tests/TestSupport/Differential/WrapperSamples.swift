import Foundation

// Types that hand their encoder or decoder on, and property wrappers.

/// Writes a value in one of two ways, and reads it in the other one.
struct Crossed<Value: Codable & Equatable>: Codable, Equatable {
    var held: Value
    var isHandedOn: Bool
    enum CodingKeys: CodingKey { case handed, plain }

    struct Handing: Encodable {
        let base: Value
        func encode(to encoder: any Encoder) throws { try base.encode(to: encoder) }
    }
    struct Taking: Decodable {
        let base: Value
        init(from decoder: any Decoder) throws { base = try Value(from: decoder) }
    }

    init(held: Value, isHandedOn: Bool) {
        self.held = held
        self.isHandedOn = isHandedOn
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isHandedOn = container.contains(.handed)
        if isHandedOn {
            held = try container.decode(Value.self, forKey: .handed)
        } else {
            held = try container.decode(Taking.self, forKey: .plain).base
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if isHandedOn {
            try container.encode(Handing(base: held), forKey: .handed)
        } else {
            try container.encode(held, forKey: .plain)
        }
    }
}

struct TextNumber: Codable, Equatable {
    var number: Int

    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self.number = number
        } else if let number = Int(try container.decode(String.self)) {
            self.number = number
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no number")
        }
    }
    func encode(to encoder: any Encoder) throws { try "\(number)".encode(to: encoder) }
}

/// Wrappers that have their default where nothing was written.
struct Wrapped: Codable, Equatable {
    @Default var count: Int
    @Text var number: Int
    @Lossy var numbers: [Int]

    init(_ generator: inout SplitMix64) {
        _count = Default(wrappedValue: generator.integer())
        _number = Text(wrappedValue: generator.integer())
        _numbers = Lossy(wrappedValue: [0, 1, generator.integer()])
    }

    @propertyWrapper struct Default: Codable, Equatable {
        var wrappedValue: Int
        init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            wrappedValue = container.decodeNil() ? 3 : try container.decode(Int.self)
        }
        func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
    }

    @propertyWrapper struct Text: Codable, Equatable {
        var wrappedValue: Int
        init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws { wrappedValue = try TextNumber(from: decoder).number }
        func encode(to encoder: any Encoder) throws { try TextNumber(number: wrappedValue).encode(to: encoder) }
    }

    @propertyWrapper struct Lossy: Codable, Equatable {
        var wrappedValue: [Int]
        init(wrappedValue: [Int]) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            wrappedValue = []
            while !list.isAtEnd {
                if let value = try? list.decode(Int.self) {
                    wrappedValue.append(value)
                } else {
                    _ = try? list.decode(Skipped.self)
                }
            }
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode("no number")
            try list.encode(contentsOf: wrappedValue)
        }
    }
}
