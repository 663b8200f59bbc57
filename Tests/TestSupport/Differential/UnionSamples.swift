import Foundation

// Types that find out what was written by trying.

/// The kinds that a union tries, in this order.
protocol UnionOrder: SendableMetatype { static var kinds: [UnionKind] { get } }

enum UnionKind { case bool, integer, number, decimal, text, date, url, uuid, list, map }

enum BoolFirst: UnionOrder { static let kinds: [UnionKind] = [.bool, .integer, .number, .text, .list, .map] }
enum IntFirst: UnionOrder { static let kinds: [UnionKind] = [.integer, .bool, .text, .number, .map, .list] }
enum TextFirst: UnionOrder { static let kinds: [UnionKind] = [.text, .number, .integer, .bool, .list, .map] }
enum MapFirst: UnionOrder { static let kinds: [UnionKind] = [.map, .list, .number, .bool, .text] }
enum DecimalFirst: UnionOrder { static let kinds: [UnionKind] = [.decimal, .bool, .text, .list, .map] }
enum DateFirst: UnionOrder { static let kinds: [UnionKind] = [.date, .text, .bool] }
enum LocatorFirst: UnionOrder {
    static let kinds: [UnionKind] = [.uuid, .url, .text, .bool, .integer, .number, .list, .map]
}

struct Union<Order: UnionOrder>: Codable, Equatable {
    var element: Element

    init(_ element: Element) { self.element = element }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        element = .null
        if container.decodeNil() { return }
        for kind in Order.kinds {
            if let found = Self.read(kind, container) {
                element = found
                return
            }
        }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "of no kind")
    }

    private static func read(_ kind: UnionKind, _ container: any SingleValueDecodingContainer) -> Element? {
        switch kind {
        case .bool: (try? container.decode(Bool.self)).map(Element.bool)
        case .integer: (try? container.decode(Int.self)).map(Element.integer)
        case .number: (try? container.decode(Double.self)).map(Element.number)
        case .decimal: (try? container.decode(Decimal.self)).map(Element.decimal)
        case .text: (try? container.decode(String.self)).map(Element.text)
        case .date: (try? container.decode(Date.self)).map(Element.date)
        case .url: (try? container.decode(URL.self)).map(Element.url)
        case .uuid: (try? container.decode(UUID.self)).map(Element.uuid)
        case .list: (try? container.decode([Union].self)).map { .list($0.map(\.element)) }
        case .map: (try? container.decode([String: Union].self)).map { .map($0.mapValues(\.element)) }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch element {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .url(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .list(let elements): try container.encode(elements.map(Union.init))
        case .map(let elements): try container.encode(elements.mapValues(Union.init))
        }
    }
}

/// Tries kinds of containers instead of types.
struct AnyValue: Codable, Equatable {
    var base: Element

    init(base: Element) { self.base = base }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var map: [String: Element] = [:]
            for key in container.allKeys {
                map[key.stringValue] = try container.decode(AnyValue.self, forKey: key).base
            }
            base = .map(map)
        } else if var list = try? decoder.unkeyedContainer() {
            var elements: [Element] = []
            while !list.isAtEnd { elements.append(try list.decode(AnyValue.self).base) }
            base = .list(elements)
        } else {
            base = try Union<BoolFirst>(from: decoder).element
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch base {
        case .map(let map):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (key, element) in map { try container.encode(AnyValue(base: element), forKey: AnyKey(key)) }
        case .list(let elements):
            var list = encoder.unkeyedContainer()
            for element in elements { try list.encode(AnyValue(base: element)) }
        default:
            try Union<BoolFirst>(base).encode(to: encoder)
        }
    }
}

/// Asks for a single value before it knows whether it is one.
struct AnyEncodableLike: Codable, Equatable {
    var element: Element

    init(_ element: Element) { self.element = element }
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            element = .null
        } else if let bool = try? container.decode(Bool.self) {
            element = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            element = .integer(integer)
        } else {
            element = try AnyValue(from: decoder).base
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch element {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        default: try AnyValue(base: element).encode(to: encoder)
        }
    }
}

enum Tagged: Codable, Equatable {
    case plain(Plain)
    case text(Texts)
    enum CodingKeys: CodingKey { case kind }

    init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .kind) {
        case "plain": self = .plain(try Plain(from: decoder))
        default: self = .text(try Texts(from: decoder))
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .plain(let value):
            try container.encode("plain", forKey: .kind)
            try value.encode(to: encoder)
        case .text(let value):
            try container.encode("text", forKey: .kind)
            try value.encode(to: encoder)
        }
    }
}

enum EitherObject: Codable, Equatable {
    case plain(Plain)
    case texts(Texts)

    init(from decoder: any Decoder) throws {
        if let plain = try? Plain(from: decoder) {
            self = .plain(plain)
        } else {
            self = .texts(try Texts(from: decoder))
        }
    }
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .plain(let value): try value.encode(to: encoder)
        case .texts(let value): try value.encode(to: encoder)
        }
    }
}

enum TextOrObject: Codable, Equatable {
    case text(String)
    case object(Texts)

    init(from decoder: any Decoder) throws {
        do {
            self = .text(try decoder.singleValueContainer().decode(String.self))
        } catch DecodingError.typeMismatch {
            self = .object(try Texts(from: decoder))
        }
    }
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .object(let object): try object.encode(to: encoder)
        }
    }
}

/// Writes one element without its list.
struct OneOrMany: Codable, Equatable {
    var elements: [Int]

    init(elements: [Int]) { self.elements = elements }
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let one = try? container.decode(Int.self) {
            elements = [one]
        } else {
            elements = try container.decode([Int].self)
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if elements.count == 1 { try container.encode(elements[0]) } else { try container.encode(elements) }
    }
}
