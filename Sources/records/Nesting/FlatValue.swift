import NestedRecords

/// A JSON value as the value of a field.
enum FlatValue {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case location(Location)
    case list(FlatList)
    case map(FlatMap)
    case record(FlatRecord)
}

/// A JSON object that becomes a record of its own.
struct FlatRecord: DynamicRecordRepresentable, Encodable {
    let recordType: String
    let recordName: String
    let object: JSONObject
    let rules: FlatteningRules

    /// Writes a field for each member.
    func encode(to encoder: any Encoder) throws { try rules.encode(object, to: encoder) }
}

/// A JSON object that stays in the field of the enclosing record.
struct FlatMap: Encodable {
    let object: JSONObject
    let rules: FlatteningRules

    /// Writes an entry for each member.
    func encode(to encoder: any Encoder) throws { try rules.encode(object, to: encoder) }
}

/// A JSON list.
struct FlatList: Encodable {
    let values: [JSONValue]

    /// The key of the list and of its elements.
    let key: String
    let rules: FlatteningRules

    /// Writes each element.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for value in values {
            switch try rules.flat(value, under: key) {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .location(let value): try container.encode(value)
            case .list(let value): try container.encode(value)
            case .map(let value): try container.encode(value)
            case .record(let value): try container.encode(value)
            }
        }
    }
}

extension FlatteningRules {
    /// Writes the members of an object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - encoder: The encoder of the record or the map.
    /// - Throws: ``JSONFault``, and errors of the encoder.
    func encode(_ object: JSONObject, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        for position in object.keys.indices {
            let name = object.keys[position]
            guard !ignores(name) else { continue }
            let key = FieldKey(stringValue: name)
            switch try flat(object.values[position], under: name) {
            case .null: try container.encodeNil(forKey: key)
            case .bool(let value): try container.encode(value, forKey: key)
            case .integer(let value): try container.encode(value, forKey: key)
            case .number(let value): try container.encode(value, forKey: key)
            case .text(let value): try container.encode(value, forKey: key)
            case .location(let value): try container.encode(value, forKey: key)
            case .list(let value): try container.encode(value, forKey: key)
            case .map(let value): try container.encode(value, forKey: key)
            case .record(let value): try container.encode(value, forKey: key)
            }
        }
    }
}
