struct EmbeddedPlace<Value: Codable & Equatable>: Codable, Equatable {
    var first: Int
    var held: Value
    var last: String
}

enum PayloadPlace<Value: Codable & Equatable>: Codable, Equatable {
    case one(Value)
    case two(left: Value, right: Value)
    case none
}

/// Writes its value in a list in an object in an object.
struct NestedPlace<Value: Codable & Equatable>: Codable, Equatable {
    var held: Value
    enum CodingKeys: String, CodingKey { case outer = "outer.part", inner = "inner/part" }

    init(_ held: Value) { self.held = held }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let outer = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .outer)
        var inner = try outer.nestedUnkeyedContainer(forKey: .inner)
        held = try inner.decode(Value.self)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var outer = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .outer)
        var inner = outer.nestedUnkeyedContainer(forKey: .inner)
        try inner.encode(held)
    }
}

/// Has its value write itself to a super encoder.
struct SuperPlace<Value: Codable & Equatable>: Codable, Equatable {
    var own = 1
    var held: Value
    enum CodingKeys: CodingKey { case own }

    init(_ held: Value) { self.held = held }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        own = try container.decode(Int.self, forKey: .own)
        held = try Value(from: container.superDecoder())
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try held.encode(to: container.superEncoder())
        try container.encode(own, forKey: .own)
    }
}

/// Encodes its value in a super encoder with a key, and in one of a list.
struct SuperKeyPlace<Value: Codable & Equatable>: Codable, Equatable {
    var held: Value
    enum CodingKeys: CodingKey { case base, list }

    init(_ held: Value) { self.held = held }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        held = try container.superDecoder(forKey: .base).singleValueContainer().decode(Value.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        guard try Value(from: list.superDecoder()) == held else {
            throw DecodingError.dataCorruptedError(in: list, debugDescription: "another value")
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var single = container.superEncoder(forKey: .base).singleValueContainer()
        try single.encode(held)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try held.encode(to: list.superEncoder())
    }
}

/// The value of a property wrapper, as the compiler has it encoded.
struct WrapperPlace<Value: Codable & Equatable>: Codable, Equatable {
    @propertyWrapper struct Wrapper: Codable, Equatable {
        var wrappedValue: Value

        init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws {
            wrappedValue = try decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }

    @Wrapper var held: Value
}

/// Hands its encoder on to its value.
struct HandedOnPlace<Value: Codable & Equatable>: Codable, Equatable {
    var held: Value

    init(held: Value) { self.held = held }
    init(from decoder: any Decoder) throws { held = try Value(from: decoder) }
    func encode(to encoder: any Encoder) throws { try held.encode(to: encoder) }
}

/// Is its value.
struct SingleValuePlace<Value: Codable & Equatable>: Codable, Equatable {
    var held: Value

    init(held: Value) { self.held = held }
    init(from decoder: any Decoder) throws { held = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(held)
    }
}

/// Encodes its value without the value's type, as type-erased values do.
struct ErasedPlace<Value: Codable & Equatable>: Codable, Equatable {
    var held: Value
    enum CodingKeys: CodingKey { case held }

    struct Erased: Encodable {
        let base: any Encodable
        func encode(to encoder: any Encoder) throws { try base.encode(to: encoder) }
    }

    init(held: Value) { self.held = held }
    init(from decoder: any Decoder) throws {
        held = try decoder.container(keyedBy: CodingKeys.self).decode(HandedOnPlace<Value>.self, forKey: .held).held
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Erased(base: held), forKey: .held)
    }
}

class SuperclassPlace<Value: Codable & Equatable>: Codable {
    let held: Value
    init(held: Value) { self.held = held }
}

/// A class that is no record.
final class SubclassPlace<Value: Codable & Equatable>: SuperclassPlace<Value>, Equatable {
    let own: Value
    enum CodingKeys: CodingKey { case own }

    init(held: Value, own: Value) {
        self.own = own
        super.init(held: held)
    }
    required init(from decoder: any Decoder) throws {
        own = try decoder.container(keyedBy: CodingKeys.self).decode(Value.self, forKey: .own)
        try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(own, forKey: .own)
        try super.encode(to: encoder)
    }
    static func == (left: SubclassPlace, right: SubclassPlace) -> Bool {
        left.held == right.held && left.own == right.own
    }
}
