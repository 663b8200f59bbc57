import Foundation

// Each kind is written and read with the call that its type has of its own, not with the one for any type.

extension CallLeaf {
    func encode<Key: CodingKey>(in container: inout KeyedEncodingContainer<Key>, _ key: Key) throws {
        switch self {
        case .bool(let value): try container.encode(value, forKey: key)
        case .int(let value): try container.encode(value, forKey: key)
        case .int8(let value): try container.encode(value, forKey: key)
        case .int16(let value): try container.encode(value, forKey: key)
        case .int32(let value): try container.encode(value, forKey: key)
        case .int64(let value): try container.encode(value, forKey: key)
        case .uint(let value): try container.encode(value, forKey: key)
        case .uint8(let value): try container.encode(value, forKey: key)
        case .uint16(let value): try container.encode(value, forKey: key)
        case .uint32(let value): try container.encode(value, forKey: key)
        case .uint64(let value): try container.encode(value, forKey: key)
        case .float(let value): try container.encode(value, forKey: key)
        case .double(let value): try container.encode(value, forKey: key)
        case .string(let value): try container.encode(value, forKey: key)
        case .optional(let value): try container.encode(value, forKey: key)
        case .other(_, let value): try container.encode(value, forKey: key)
        }
    }

    func encodeIfPresent<Key: CodingKey>(in container: inout KeyedEncodingContainer<Key>, _ key: Key) throws {
        switch self {
        case .bool(let value): try container.encodeIfPresent(value, forKey: key)
        case .int(let value): try container.encodeIfPresent(value, forKey: key)
        case .int8(let value): try container.encodeIfPresent(value, forKey: key)
        case .int16(let value): try container.encodeIfPresent(value, forKey: key)
        case .int32(let value): try container.encodeIfPresent(value, forKey: key)
        case .int64(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint8(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint16(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint32(let value): try container.encodeIfPresent(value, forKey: key)
        case .uint64(let value): try container.encodeIfPresent(value, forKey: key)
        case .float(let value): try container.encodeIfPresent(value, forKey: key)
        case .double(let value): try container.encodeIfPresent(value, forKey: key)
        case .string(let value): try container.encodeIfPresent(value, forKey: key)
        case .optional(let value): try container.encodeIfPresent(value, forKey: key)
        case .other(_, let value):
            func encode(_ value: some CallOther) throws { try container.encodeIfPresent(value, forKey: key) }
            try encode(value)
        }
    }

    func encode(in container: inout any UnkeyedEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .int8(let value): try container.encode(value)
        case .int16(let value): try container.encode(value)
        case .int32(let value): try container.encode(value)
        case .int64(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .uint8(let value): try container.encode(value)
        case .uint16(let value): try container.encode(value)
        case .uint32(let value): try container.encode(value)
        case .uint64(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .optional(let value): try container.encode(value)
        case .other(_, let value): try container.encode(value)
        }
    }

    func encode(in container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .int8(let value): try container.encode(value)
        case .int16(let value): try container.encode(value)
        case .int32(let value): try container.encode(value)
        case .int64(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .uint8(let value): try container.encode(value)
        case .uint16(let value): try container.encode(value)
        case .uint32(let value): try container.encode(value)
        case .uint64(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .optional(let value): try container.encode(value)
        case .other(_, let value): try container.encode(value)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .bool(let value): try value.encode(to: encoder)
        case .int(let value): try value.encode(to: encoder)
        case .int8(let value): try value.encode(to: encoder)
        case .int16(let value): try value.encode(to: encoder)
        case .int32(let value): try value.encode(to: encoder)
        case .int64(let value): try value.encode(to: encoder)
        case .uint(let value): try value.encode(to: encoder)
        case .uint8(let value): try value.encode(to: encoder)
        case .uint16(let value): try value.encode(to: encoder)
        case .uint32(let value): try value.encode(to: encoder)
        case .uint64(let value): try value.encode(to: encoder)
        case .float(let value): try value.encode(to: encoder)
        case .double(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .optional(let value): try value.encode(to: encoder)
        case .other(_, let value): try value.encode(to: encoder)
        }
    }
}

extension CallLeaf.Kind {
    /// Reads a value of a type that has no call of its own.
    ///
    /// Which of several entries of a dictionary does not fit is left out: it changes from run to run.
    private func other<Result>(_ read: (any CallOther.Type) throws -> Result) throws -> Result {
        do { return try read(otherType) } catch let error where self == .map && !(error is CallError) {
            throw CallError(number: -3)
        }
    }

    private func leaf(_ value: (any CallOther)?) -> CallLeaf? { value.map { .other(self, $0) } }

    func decode<Key: CodingKey>(from container: KeyedDecodingContainer<Key>, _ key: Key) throws -> CallLeaf {
        switch self {
        case .bool: .bool(try container.decode(Bool.self, forKey: key))
        case .int: .int(try container.decode(Int.self, forKey: key))
        case .int8: .int8(try container.decode(Int8.self, forKey: key))
        case .int16: .int16(try container.decode(Int16.self, forKey: key))
        case .int32: .int32(try container.decode(Int32.self, forKey: key))
        case .int64: .int64(try container.decode(Int64.self, forKey: key))
        case .uint: .uint(try container.decode(UInt.self, forKey: key))
        case .uint8: .uint8(try container.decode(UInt8.self, forKey: key))
        case .uint16: .uint16(try container.decode(UInt16.self, forKey: key))
        case .uint32: .uint32(try container.decode(UInt32.self, forKey: key))
        case .uint64: .uint64(try container.decode(UInt64.self, forKey: key))
        case .float: .float(try container.decode(Float.self, forKey: key))
        case .double: .double(try container.decode(Double.self, forKey: key))
        case .string: .string(try container.decode(String.self, forKey: key))
        case .optional: .optional(try container.decode(Int?.self, forKey: key))
        default: .other(self, try other { try container.decode($0, forKey: key) })
        }
    }

    func decodeIfPresent<Key: CodingKey>(from container: KeyedDecodingContainer<Key>, _ key: Key) throws -> CallLeaf? {
        switch self {
        case .bool: try container.decodeIfPresent(Bool.self, forKey: key).map(CallLeaf.bool)
        case .int: try container.decodeIfPresent(Int.self, forKey: key).map(CallLeaf.int)
        case .int8: try container.decodeIfPresent(Int8.self, forKey: key).map(CallLeaf.int8)
        case .int16: try container.decodeIfPresent(Int16.self, forKey: key).map(CallLeaf.int16)
        case .int32: try container.decodeIfPresent(Int32.self, forKey: key).map(CallLeaf.int32)
        case .int64: try container.decodeIfPresent(Int64.self, forKey: key).map(CallLeaf.int64)
        case .uint: try container.decodeIfPresent(UInt.self, forKey: key).map(CallLeaf.uint)
        case .uint8: try container.decodeIfPresent(UInt8.self, forKey: key).map(CallLeaf.uint8)
        case .uint16: try container.decodeIfPresent(UInt16.self, forKey: key).map(CallLeaf.uint16)
        case .uint32: try container.decodeIfPresent(UInt32.self, forKey: key).map(CallLeaf.uint32)
        case .uint64: try container.decodeIfPresent(UInt64.self, forKey: key).map(CallLeaf.uint64)
        case .float: try container.decodeIfPresent(Float.self, forKey: key).map(CallLeaf.float)
        case .double: try container.decodeIfPresent(Double.self, forKey: key).map(CallLeaf.double)
        case .string: try container.decodeIfPresent(String.self, forKey: key).map(CallLeaf.string)
        case .optional: try container.decodeIfPresent(Int?.self, forKey: key).map(CallLeaf.optional)
        default: leaf(try other { try container.decodeIfPresent($0, forKey: key) })
        }
    }

    func decode(from container: inout any UnkeyedDecodingContainer) throws -> CallLeaf {
        switch self {
        case .bool: .bool(try container.decode(Bool.self))
        case .int: .int(try container.decode(Int.self))
        case .int8: .int8(try container.decode(Int8.self))
        case .int16: .int16(try container.decode(Int16.self))
        case .int32: .int32(try container.decode(Int32.self))
        case .int64: .int64(try container.decode(Int64.self))
        case .uint: .uint(try container.decode(UInt.self))
        case .uint8: .uint8(try container.decode(UInt8.self))
        case .uint16: .uint16(try container.decode(UInt16.self))
        case .uint32: .uint32(try container.decode(UInt32.self))
        case .uint64: .uint64(try container.decode(UInt64.self))
        case .float: .float(try container.decode(Float.self))
        case .double: .double(try container.decode(Double.self))
        case .string: .string(try container.decode(String.self))
        case .optional: .optional(try container.decode(Int?.self))
        default: .other(self, try other { try container.decode($0) })
        }
    }

    func decodeIfPresent(from container: inout any UnkeyedDecodingContainer) throws -> CallLeaf? {
        switch self {
        case .bool: try container.decodeIfPresent(Bool.self).map(CallLeaf.bool)
        case .int: try container.decodeIfPresent(Int.self).map(CallLeaf.int)
        case .int8: try container.decodeIfPresent(Int8.self).map(CallLeaf.int8)
        case .int16: try container.decodeIfPresent(Int16.self).map(CallLeaf.int16)
        case .int32: try container.decodeIfPresent(Int32.self).map(CallLeaf.int32)
        case .int64: try container.decodeIfPresent(Int64.self).map(CallLeaf.int64)
        case .uint: try container.decodeIfPresent(UInt.self).map(CallLeaf.uint)
        case .uint8: try container.decodeIfPresent(UInt8.self).map(CallLeaf.uint8)
        case .uint16: try container.decodeIfPresent(UInt16.self).map(CallLeaf.uint16)
        case .uint32: try container.decodeIfPresent(UInt32.self).map(CallLeaf.uint32)
        case .uint64: try container.decodeIfPresent(UInt64.self).map(CallLeaf.uint64)
        case .float: try container.decodeIfPresent(Float.self).map(CallLeaf.float)
        case .double: try container.decodeIfPresent(Double.self).map(CallLeaf.double)
        case .string: try container.decodeIfPresent(String.self).map(CallLeaf.string)
        case .optional: try container.decodeIfPresent(Int?.self).map(CallLeaf.optional)
        default: leaf(try other { try container.decodeIfPresent($0) })
        }
    }

    func decode(from container: any SingleValueDecodingContainer) throws -> CallLeaf {
        switch self {
        case .bool: .bool(try container.decode(Bool.self))
        case .int: .int(try container.decode(Int.self))
        case .int8: .int8(try container.decode(Int8.self))
        case .int16: .int16(try container.decode(Int16.self))
        case .int32: .int32(try container.decode(Int32.self))
        case .int64: .int64(try container.decode(Int64.self))
        case .uint: .uint(try container.decode(UInt.self))
        case .uint8: .uint8(try container.decode(UInt8.self))
        case .uint16: .uint16(try container.decode(UInt16.self))
        case .uint32: .uint32(try container.decode(UInt32.self))
        case .uint64: .uint64(try container.decode(UInt64.self))
        case .float: .float(try container.decode(Float.self))
        case .double: .double(try container.decode(Double.self))
        case .string: .string(try container.decode(String.self))
        case .optional: .optional(try container.decode(Int?.self))
        default: .other(self, try other { try container.decode($0) })
        }
    }

    func decode(from decoder: any Decoder) throws -> CallLeaf {
        switch self {
        case .bool: .bool(try Bool(from: decoder))
        case .int: .int(try Int(from: decoder))
        case .int8: .int8(try Int8(from: decoder))
        case .int16: .int16(try Int16(from: decoder))
        case .int32: .int32(try Int32(from: decoder))
        case .int64: .int64(try Int64(from: decoder))
        case .uint: .uint(try UInt(from: decoder))
        case .uint8: .uint8(try UInt8(from: decoder))
        case .uint16: .uint16(try UInt16(from: decoder))
        case .uint32: .uint32(try UInt32(from: decoder))
        case .uint64: .uint64(try UInt64(from: decoder))
        case .float: .float(try Float(from: decoder))
        case .double: .double(try Double(from: decoder))
        case .string: .string(try String(from: decoder))
        case .optional: .optional(try Optional<Int>(from: decoder))
        default: .other(self, try other { try $0.init(from: decoder) })
        }
    }
}
