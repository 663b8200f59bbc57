import Foundation

// Types that hand their encoder or decoder on, and types with forms of their own.

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

/// Reads a date from a decoder, and has an error of its own where it finds none.
struct DateOrError: Codable, Equatable {
    var date: Date
    enum CodingKeys: CodingKey { case date }

    init(date: Date) { self.date = date }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let date = try? Date(from: container.superDecoder(forKey: .date)) else { throw SampleError() }
        self.date = date
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date, forKey: .date)
    }
}

/// Hands super encoders to scalars, and reads them from super decoders.
struct HandedScalars: Codable, Equatable {
    var date: Date
    var text: String
    var number: Double
    var flag: Bool
    var list: [Int?]
    enum CodingKeys: CodingKey { case date, text, number, flag, list }

    init(_ generator: inout SplitMix64) {
        date = generator.date()
        text = generator.text()
        number = generator.number()
        flag = generator.chance(oneIn: 2)
        list = [nil, 0]
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        date = try Date(from: container.superDecoder(forKey: .date))
        text = try String(from: container.superDecoder(forKey: .text))
        number = try Double(from: container.superDecoder(forKey: .number))
        flag = try Bool(from: container.superDecoder(forKey: .flag))
        list = try [Int?](from: container.superDecoder(forKey: .list))
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try date.encode(to: container.superEncoder(forKey: .date))
        try text.encode(to: container.superEncoder(forKey: .text))
        try number.encode(to: container.superEncoder(forKey: .number))
        try flag.encode(to: container.superEncoder(forKey: .flag))
        try list.encode(to: container.superEncoder(forKey: .list))
    }
}

/// Writes bytes one by one, and reads them as numbers.
struct Blob: Codable, Equatable {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(from decoder: any Decoder) throws {
        bytes = try [Int](from: decoder).map { UInt8(truncatingIfNeeded: $0) }
    }
    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for byte in bytes { try list.encode(byte) }
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

struct TextDate: Codable, Equatable {
    var date: Date

    init(date: Date) { self.date = date }
    init(from decoder: any Decoder) throws {
        let text = try String(from: decoder)
        guard let seconds = Double(text.dropFirst()) else { throw SampleError() }
        date = Date(timeIntervalSince1970: seconds)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("@\(date.timeIntervalSince1970)")
    }
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

struct UnusedSingle: Codable, Equatable {
    var text: String
    enum CodingKeys: CodingKey { case text }

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer()
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
    }
    func encode(to encoder: any Encoder) throws {
        _ = encoder.singleValueContainer()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
    }
}

struct SingleTwice: Codable, Equatable {
    var text: String

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
        let first = try decoder.singleValueContainer()
        let second = try decoder.singleValueContainer()
        text = try first.decode(String.self)
        guard try second.decode(String.self) == text else { throw SampleError() }
    }
    func encode(to encoder: any Encoder) throws {
        _ = encoder.singleValueContainer()
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

class Branch: Codable {
    let name: String
    enum CodingKeys: CodingKey { case name }
    init(name: String) { self.name = name }
}

final class Leaf: Branch, Equatable {
    let number: Int
    enum CodingKeys: CodingKey { case number }

    init(_ generator: inout SplitMix64) {
        number = generator.integer()
        super.init(name: generator.text())
    }
    required init(from decoder: any Decoder) throws {
        number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
        try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
    }
    static func == (left: Leaf, right: Leaf) -> Bool { left.name == right.name && left.number == right.number }
}

final class KeyedLeaf: Branch, Equatable {
    let number: Int
    enum CodingKeys: CodingKey { case number }

    init(_ generator: inout SplitMix64) {
        number = generator.integer()
        super.init(name: generator.text())
    }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try super.encode(to: container.superEncoder())
    }
    static func == (left: KeyedLeaf, right: KeyedLeaf) -> Bool {
        left.name == right.name && left.number == right.number
    }
}
