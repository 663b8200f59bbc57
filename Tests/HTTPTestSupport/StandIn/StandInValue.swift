import Foundation

/// The bytes of a name: Firestore compares names as bytes.
struct StandInName: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    /// "cannot match the regular expression __.*__".
    ///
    /// https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields
    var isReserved: Bool { bytes.count >= 4 && bytes.starts(with: [0x5F, 0x5F]) && bytes.suffix(2) == [0x5F, 0x5F] }
}

/// A value of the stand-in server.
///
/// https://firebase.google.com/docs/firestore/reference/rest/v1/Value
indirect enum StandInValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case time(StandInTime)
    case text(String)
    case bytes([UInt8])
    case reference(String)
    case place(Double, Double)
    case array([StandInValue])
    case map([StandInName: StandInValue])

    init(_ json: StandInJSON, depth: Int, isInArray: Bool = false) throws {
        // "Maximum depth of fields in a map or array: 20": https://firebase.google.com/docs/firestore/quotas#limits
        if depth > 20 { throw StandInError.invalid("Property contains an invalid nested entity, deeper than 20.") }
        guard let members = json.members, members.count == 1, let (kind, content) = members.first else {
            throw StandInError.invalid("a value has not exactly one type")
        }
        let invalid = StandInError.invalid("Invalid value at '\(kind)'")
        switch (kind, content) {
        // An enumeration of one name: https://protobuf.dev/programming-guides/json/.
        case ("nullValue", .null), ("nullValue", .number(0)): self = .null
        case ("booleanValue", .bool(let value)): self = .bool(value)
        case ("integerValue", .text(let text)):
            guard let value = Int64(text) else { throw invalid }
            self = .integer(value)
        case ("doubleValue", .number(let value)): self = .double(value)
        case ("doubleValue", .text(let text)):
            // https://protobuf.dev/programming-guides/json/
            guard let value = ["NaN": Double.nan, "Infinity": .infinity, "-Infinity": -.infinity][text] else {
                throw invalid
            }
            self = .double(value)
        case ("timestampValue", .text(let text)):
            guard let time = StandInTime(text) else { throw invalid }
            self = .time(time)
        case ("stringValue", .text(let text)):
            // "must not exceed 1 MiB - 89 bytes", at the page of a value.
            if text.utf8.count > (1 << 20) - 89 { throw StandInError.invalid("a string is longer than 1048487 bytes") }
            self = .text(text)
        case ("bytesValue", .text(let text)):
            guard let data = Data(base64Encoded: text) else { throw invalid }
            if data.count > (1 << 20) - 89 { throw StandInError.invalid("bytes are longer than 1048487 bytes") }
            self = .bytes([UInt8](data))
        case ("referenceValue", .text(let text)):
            guard text.split(separator: "/").count > 5 else { throw invalid }
            self = .reference(text)
        case ("geoPointValue", .object):
            try content.checkMembers(["latitude", "longitude"])
            let (latitude, longitude) = (content["latitude"]?.number ?? 0, content["longitude"]?.number ?? 0)
            guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { throw invalid }
            self = .place(latitude, longitude)
        case ("arrayValue", .object):
            // "Cannot directly contain another array value", at the page of a value.
            if isInArray { throw StandInError.invalid("Cannot convert an array value in an array value.") }
            try content.checkMembers(["values"])
            self = .array(
                try (content["values"]?.list ?? []).map { try StandInValue($0, depth: depth + 1, isInArray: true) })
        case ("mapValue", .object):
            try content.checkMembers(["fields"])
            self = .map(try Self.fields(content["fields"], depth: depth + 1))
        default: throw invalid
        }
    }

    /// "must not exceed 1,500 bytes and cannot be empty", "reserved".
    ///
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents#Document
    static func fields(_ json: StandInJSON?, depth: Int) throws -> [StandInName: StandInValue] {
        var fields: [StandInName: StandInValue] = [:]
        for (text, value) in json?.members ?? [] {
            let name = StandInName(text)
            // Vectors are maps with a reserved name: https://firebase.google.com/docs/firestore/vector-search
            if name.bytes.isEmpty || name.isReserved && text != "__type__" || name.bytes.count > 1_500 {
                throw StandInError.invalid("field name \"\(text)\" is reserved, empty or too long")
            }
            fields[name] = try StandInValue(value, depth: depth)
        }
        return fields
    }

    var json: StandInJSON {
        switch self {
        case .null: .make(["nullValue": .null])
        case .bool(let value): .make(["booleanValue": .bool(value)])
        case .integer(let value): .make(["integerValue": .text("\(value)")])
        case .double(let value):
            .make([
                "doubleValue": value.isFinite
                    ? .number(value) : .text(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
            ])
        case .time(let time): .make(["timestampValue": .text(time.text)])
        case .text(let text): .make(["stringValue": .text(text)])
        case .bytes(let bytes): .make(["bytesValue": .text(Data(bytes).base64EncodedString())])
        case .reference(let path): .make(["referenceValue": .text(path)])
        // Fields with their default are left out of JSON: https://protobuf.dev/programming-guides/json/
        case .place(let latitude, let longitude):
            .make([
                "geoPointValue": .make([
                    "latitude": Self.isDefault(latitude) ? nil : .number(latitude),
                    "longitude": Self.isDefault(longitude) ? nil : .number(longitude),
                ])
            ])
        case .array(let values):
            .make(["arrayValue": .make(["values": values.isEmpty ? nil : .list(values.map(\.json))])])
        case .map(let fields): .make(["mapValue": .make(["fields": fields.isEmpty ? nil : Self.json(fields)])])
        }
    }

    private static func isDefault(_ value: Double) -> Bool { value == 0 && value.sign == .plus }

    /// In an order of its own: a map of protocol buffers has none.
    static func json(_ fields: [StandInName: StandInValue]) -> StandInJSON {
        .object(fields.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.json) })
    }

    /// The bytes of a value.
    ///
    /// https://firebase.google.com/docs/firestore/storage-size
    var size: Int {
        switch self {
        case .null, .bool: 1
        case .integer, .double, .time: 8
        case .text(let text): text.utf8.count + 1
        case .bytes(let bytes): bytes.count
        case .reference(let path): path.utf8.count
        case .place: 16
        case .array(let values): values.reduce(0) { $0 + $1.size }
        case .map(let fields): fields.reduce(32) { $0 + $1.key.bytes.count + 1 + $1.value.size }
        }
    }

    /// Whether both are the same to the last bit, so that a write of one over the other changes nothing.
    func isSame(as other: StandInValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)):
            left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
        case (.time(let left), .time(let right)): left == right
        case (.text(let left), .text(let right)), (.reference(let left), .reference(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.place(let left, let left2), .place(let right, let right2)):
            left.bitPattern == right.bitPattern && left2.bitPattern == right2.bitPattern
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.map(let left), .map(let right)): Self.areSame(left, right)
        default: false
        }
    }

    static func areSame(_ left: [StandInName: StandInValue], _ right: [StandInName: StandInValue]) -> Bool {
        left.count == right.count && left.allSatisfy { name, value in right[name]?.isSame(as: value) ?? false }
    }
}

// MARK: Comparing

extension StandInValue {
    /// The order of two values of one kind; nil for others.
    ///
    /// Texts are compared by their first 1,500 bytes.
    /// https://firebase.google.com/docs/firestore/manage-data/data-types
    func order(before other: StandInValue) -> Int? {
        switch (self, other) {
        case (.null, .null): 0
        case (.bool(let left), .bool(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.double(let left), .double(let right)):
            left.isNaN || right.isNaN ? Self.order(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) : Self.order(left, right)
        case (.integer(let left), .double(let right)): Self.order(left, right)
        case (.double(let left), .integer(let right)): -Self.order(right, left)
        case (.time(let left), .time(let right)): Self.order(left, right)
        case (.text(let left), .text(let right)), (.reference(let left), .reference(let right)):
            Self.order(StandInName(left).cut, StandInName(right).cut)
        default: isSame(as: other) ? 0 : nil
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func order(_ left: Int64, _ right: Double) -> Int {
        if right.isNaN { return 1 }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = right.rounded(.down)
        let order = Self.order(left, Int64(whole))
        return order == 0 && right > whole ? -1 : order
    }
}

extension StandInName {
    fileprivate var cut: StandInName { bytes.count > 1_500 ? StandInName(cutting: bytes) : self }

    private init(cutting bytes: [UInt8]) { self.bytes = Array(bytes.prefix(1_500)) }
}
