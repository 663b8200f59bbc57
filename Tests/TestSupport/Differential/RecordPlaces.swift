import NestedRecords

struct PropertyRecord<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "Property" }
    var recordName: String { "p" }
    var value: Value
}

/// Hands its encoder on to its value.
struct HandedOnRecord<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "HandedOn" }
    var recordName: String { "h" }
    var value: Value

    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// Is its value.
struct SingleValueRecord<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "SingleValue" }
    var recordName: String { "s" }
    var value: Value

    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

class SuperclassRecord<Value: Codable & Equatable>: RecordCodable, Equatable {
    class var recordType: String { "Superclass" }
    var recordName: String { "c" }
    let inherited: Value
    enum CodingKeys: CodingKey { case inherited }

    init(_ inherited: Value) { self.inherited = inherited }
    required init(from decoder: any Decoder) throws {
        inherited = try decoder.container(keyedBy: CodingKeys.self).decode(Value.self, forKey: .inherited)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(inherited, forKey: .inherited)
    }
    static func == (left: SuperclassRecord, right: SuperclassRecord) -> Bool { left.inherited == right.inherited }
}

/// Hands its encoder on to its superclass.
final class SubclassRecord<Value: Codable & Equatable>: SuperclassRecord<Value> {
    override class var recordType: String { "Subclass" }
    let own: Int
    enum CodingKeys: CodingKey { case own }

    init(_ inherited: Value, _ own: Int) {
        self.own = own
        super.init(inherited)
    }
    required init(from decoder: any Decoder) throws {
        own = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .own)
        try super.init(from: decoder)
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(own, forKey: .own)
        try super.encode(to: encoder)
    }
}

/// Gives its superclass an encoder of its own.
final class SuperSubclassRecord<Value: Codable & Equatable>: SuperclassRecord<Value> {
    override class var recordType: String { "SuperSubclass" }
    let own: Int
    enum CodingKeys: CodingKey { case own }

    init(_ inherited: Value, _ own: Int) {
        self.own = own
        super.init(inherited)
    }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        own = try container.decode(Int.self, forKey: .own)
        try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(own, forKey: .own)
    }
}

/// A record after a reference.
struct ChildRecord<Value: Codable & Equatable>: RecordCodable, Equatable {
    static var recordType: String { "Child" }
    var recordName: String { "\(number)" }
    var number: Int
    var content: Value

    init(_ number: Int, _ content: Value) {
        self.number = number
        self.content = content
    }
}
