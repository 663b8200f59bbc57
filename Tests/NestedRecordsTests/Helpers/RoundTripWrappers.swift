import NestedRecords

/// A record with a value in a property.
struct Holder<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "Holder" }
    var recordName: String { "holder" }
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A record that is a value: it hands its own encoder on.
struct RecordOf<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "RecordOf" }
    var recordName: String { "value" }
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }
}

/// A record that is a single value.
struct SingleValueRecordOf<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "SingleValueRecordOf" }
    var recordName: String { "value" }
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

struct Embedded<Value: Codable & Equatable>: Codable, Equatable {
    var before: Int
    var value: Value
    var after: String
}

enum Payload<Value: Codable & Equatable>: Codable, Equatable {
    case one(Value)
    case two(left: Value, right: Value)
    case none
}

/// Writes its value in a list, in an object.
struct Nested<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value

    enum CodingKeys: CodingKey {
        case outer, inner
    }

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let outer = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .outer)
        var inner = try outer.nestedUnkeyedContainer(forKey: .inner)
        value = try inner.decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var outer = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .outer)
        var inner = outer.nestedUnkeyedContainer(forKey: .inner)
        try inner.encode(value)
    }
}

/// Hands a super encoder to its value.
struct UnderSuper<Value: Codable & Equatable>: Codable, Equatable {
    var own = 1
    var value: Value

    enum CodingKeys: CodingKey {
        case own
    }

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        own = try container.decode(Int.self, forKey: .own)
        value = try Value(from: container.superDecoder())
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try value.encode(to: container.superEncoder())
        try container.encode(own, forKey: .own)
    }
}
