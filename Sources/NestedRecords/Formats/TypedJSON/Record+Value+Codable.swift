#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys of the objects that stand for what JSON has no form of its own for.
enum TypedMarker: String, CodingKey {
    case reference = "$ref"
    case date = "$date"
    case bytes = "$bytes"
    case location = "$location"
    case double = "$double"
    case map = "$map"
    case serverTimestamp = "$serverTimestamp"
    case link
    case action
}

extension Record.Value: Codable {
    /// Writes the typed form: plain values where JSON says it all, marked objects elsewhere.
    ///
    /// | value | form |
    /// | --- | --- |
    /// | reference | `{"$ref": "Person/1"}`, with `"link": true` and `"action": "deleteSelf"` where they apply |
    /// | date | `{"$date": "2001-02-03T04:05:06.789Z"}`, or seconds since 2001 where no text is exact |
    /// | bytes | `{"$bytes": "aGk="}`, in base 64 |
    /// | location | `{"$location": "1.5;2.5"}` |
    /// | integral or non-finite double | `{"$double": 2}`, `{"$double": "inf"}` |
    /// | server timestamp | `{"$serverTimestamp": true}` |
    /// | map with a name that begins with `$` | `{"$map": {…}}` |
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .int(let value): try value.encode(to: encoder)
        case .double(let value):
            if value.isFinite, value.rounded() != value { return try value.encode(to: encoder) }
            var container = encoder.container(keyedBy: TypedMarker.self)
            try container.encode(exact: value, forKey: .double)
        case .string(let value): try value.encode(to: encoder)
        case .date(let value):
            var container = encoder.container(keyedBy: TypedMarker.self)
            if let text = ISO8601.text(of: value) {
                try container.encode(text, forKey: .date)
            } else {
                try container.encode(exact: value.timeIntervalSinceReferenceDate, forKey: .date)
            }
        case .bytes(let value):
            var container = encoder.container(keyedBy: TypedMarker.self)
            try container.encode(value.base64EncodedString(), forKey: .bytes)
        case .location(let value):
            var container = encoder.container(keyedBy: TypedMarker.self)
            try container.encode(value.description, forKey: .location)
        case .reference(let value): try value.encode(to: encoder)
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .map(let fields):
            if fields.names.contains(where: { $0.hasPrefix("$") }) {
                var container = encoder.container(keyedBy: TypedMarker.self)
                try container.encode(fields, forKey: .map)
            } else {
                try fields.encode(to: encoder)
            }
        case .serverTimestamp:
            var container = encoder.container(keyedBy: TypedMarker.self)
            try container.encode(true, forKey: .serverTimestamp)
        }
    }

    /// Reads the typed form.
    ///
    /// - Parameter decoder: Any decoder. A plain number reads as an integer if it is one.
    /// - Throws: `DecodingError` for objects with an unknown mark and for marked objects with a wrong content.
    public init(from decoder: any Decoder) throws {
        if let value = try Self.plainValue(from: decoder) {
            self = value
        } else if var list = try? decoder.unkeyedContainer() {
            var values: [Record.Value] = []
            while !list.isAtEnd { values.append(try list.decode(Record.Value.self)) }
            self = .list(values)
        } else {
            self = try Self.objectValue(from: decoder)
        }
    }

    // The most frequent kinds first: a decoder throws at each wrong guess.
    private static func plainValue(from decoder: any Decoder) throws -> Record.Value? {
        guard let container = try? decoder.singleValueContainer() else { return nil }
        if container.decodeNil() { return .null }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Int64.self) { return .int(value) }
        if let value = try? container.decode(Double.self) {
            guard value.rounded() != value else {
                let reason = "\(value) is beyond the integers of a field; a number is {\"$double\": …}"
                throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
            }
            return .double(value)
        }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        return nil
    }

    private static func objectValue(from decoder: any Decoder) throws -> Record.Value {
        let names = try decoder.container(keyedBy: PathKey.self)
        guard let mark = names.allKeys.first(where: { $0.stringValue.hasPrefix("$") }) else {
            return .map(try Record.Fields(from: decoder))
        }
        let marker = TypedMarker(stringValue: mark.stringValue)
        guard let marker, marker.stringValue.hasPrefix("$") else {
            throw DecodingError.dataCorruptedError(
                forKey: mark, in: names, debugDescription: "'\(mark.stringValue)' marks no kind of value")
        }
        for other in names.allKeys where other.stringValue != mark.stringValue {
            if marker == .reference, ["link", "action"].contains(other.stringValue) { continue }
            throw DecodingError.dataCorruptedError(
                forKey: other, in: names,
                debugDescription: "'\(other.stringValue)' does not belong beside '\(mark.stringValue)'")
        }
        let container = try decoder.container(keyedBy: TypedMarker.self)
        switch marker {
        case .reference: return .reference(try Record.Reference(from: decoder))
        case .location: return .location(try container.decode(Location.self, forKey: .location))
        case .double: return .double(try container.decodeExactDouble(forKey: .double))
        case .map: return .map(try container.decode(Record.Fields.self, forKey: .map))
        case .date: return .date(try container.decodeDate(forKey: .date))
        case .bytes:
            let text = try container.decode(String.self, forKey: .bytes)
            guard let bytes = Data(base64Encoded: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .bytes, in: container, debugDescription: "the text is not in base 64")
            }
            return .bytes(bytes)
        case .serverTimestamp:
            guard try container.decode(Bool.self, forKey: .serverTimestamp) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .serverTimestamp, in: container, debugDescription: "only 'true' marks a server timestamp")
            }
            return .serverTimestamp
        case .link, .action:
            throw DecodingError.dataCorruptedError(
                forKey: mark, in: names, debugDescription: "'\(mark.stringValue)' marks no kind of value")
        }
    }
}

extension KeyedEncodingContainer<TypedMarker> {
    /// Writes a number that may be none that JSON knows.
    fileprivate mutating func encode(exact value: Double, forKey key: TypedMarker) throws {
        if value.isFinite { try encode(value, forKey: key) } else { try encode(value.description, forKey: key) }
    }
}

extension KeyedDecodingContainer<TypedMarker> {
    fileprivate func decodeExactDouble(forKey key: TypedMarker) throws -> Double {
        guard let text = try? decode(String.self, forKey: key) else { return try decode(Double.self, forKey: key) }
        if let value = Self.nonFinite(text) { return value }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: self, debugDescription: "'\(text)' is not one of nan, inf and -inf")
    }

    fileprivate func decodeDate(forKey key: TypedMarker) throws -> Date {
        guard let text = try? decode(String.self, forKey: key) else {
            return Date(timeIntervalSinceReferenceDate: try decode(Double.self, forKey: key))
        }
        if let date = ISO8601.date(from: text) { return date }
        if let interval = Self.nonFinite(text) { return Date(timeIntervalSinceReferenceDate: interval) }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: self, debugDescription: "'\(text)' is not a date with time and zone")
    }

    private static func nonFinite(_ text: String) -> Double? {
        [.nan, .infinity, -.infinity].first { $0.description == text }
    }
}
