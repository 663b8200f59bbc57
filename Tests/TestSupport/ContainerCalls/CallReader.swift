/// Decodes a value by its plan.
struct CallReader {
    let decoder: any Decoder
    let machine: CallMachine
    let node: CallNode

    init(_ decoder: any Decoder) throws {
        self.decoder = decoder
        machine = try decoder.callMachine()
        node = machine.pending
        machine.beginAttempt()
    }

    /// Decodes a record as a coder of records does, for which null is no record.
    func runAsRecordOfContainer() throws -> CallNode {
        if machine.isJSON, node.number != 1, try decoder.singleValueContainer().decodeNil() {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "null")
            throw DecodingError.valueNotFound(CallRecord.self, context)
        }
        return try runAsRecord()
    }

    func runAsRecord() throws -> CallNode { try machine.decodeRecord(node.number) { try run() } }

    func run() throws -> CallNode {
        machine.disturbance?.begin(decoder)
        machine.note("decode \(node.number)", decoder.codingPath)
        switch node.readShape {
        case .keyed: try run(node, KeyedReadings(decoder, node.readKeys), decoder)
        case .unkeyed: try run(node, UnkeyedReadings(container: decoder.unkeyedContainer()), decoder)
        case .single: try run(node, SingleReadings(container: decoder.singleValueContainer()), decoder)
        case .handedOn: try handOn()
        case .unusedSingle:
            machine.note("single", try decoder.singleValueContainer().codingPath)
            try handOn()
        case .nothing: break
        }
        machine.disturbance?.end(decoder, node.readShape)
        if node.readFailure != nil { throw CallError(number: 1_000 + node.number) }
        return node
    }

    private func handOn() throws {
        for call in node.calls {
            switch call.content {
            case .leaf(let leaf):
                let found = try leaf.kind.decode(from: decoder)
                machine.note("= \(found.text)", decoder.codingPath)
            case .null:
                let found = try Int?(from: decoder)
                machine.note("= \(found as Any)", decoder.codingPath)
            case .value(let inner), .nested(let inner), .superEncoder(let inner), .merged(let inner):
                _ = try machine.decode(inner) { try CallValue(from: decoder) }
            }
        }
    }

    private func run(_ node: CallNode, _ container: some CallSource, _ decoder: (any Decoder)? = nil) throws {
        var container = container
        machine.note("\(node.readShape) \(container.state)", container.path)
        for (position, call) in node.calls.enumerated() {
            if node.readFailure == position { throw CallError(number: 1_000 + node.number) }
            guard call.isWritten || node.readShape != .unkeyed else { continue }
            let before = container
            for (reading, isCaught) in call.readings {
                // In a list each reading begins at the same element.
                container = before
                try machine.call("\(text(of: reading, call)) \(container.state)", container.path, isCaught: isCaught) {
                    try read(reading, call, from: &container, decoder)
                }
            }
            container.skip(after: before)
        }
    }

    private func text(of reading: Call.Reading, _ call: Call) -> String {
        let key = call.key.map { "\($0)" } ?? "super"
        guard case .same(let way) = reading else { return "\(reading) \(key)" }
        switch call.content {
        case .leaf(let leaf): return "\(leaf.kind) as itself, way \(way % 4), \(key)"
        case .null: return "null as itself, way \(way % 3), \(key)"
        case .value, .nested, .superEncoder, .merged: return "value as itself, way \(way % 6), \(key)"
        }
    }

    private func read(
        _ reading: Call.Reading, _ call: Call, from container: inout some CallSource, _ decoder: (any Decoder)?
    ) throws -> String {
        switch reading {
        case .same(let way): try readSame(way, call, from: &container, decoder)
        // It is read from the decoder, see below.
        case .other(let kind, _) where call.key == nil && kind.hasOtherForm: ""
        case .other(let kind, let isOptional):
            isOptional
                ? "\(try container.readIfPresent(kind, call.key)?.text ?? "none")"
                : try container.read(kind, call.key).text
        case .contains: "\(container.contains(call.key))"
        case .isNull: "\(try container.isNull(call.key))"
        case .allKeys: container.allKeys
        case .missing(let way): try container.readMissing(way)
        }
    }

    private func readSame(
        _ way: Int, _ call: Call, from container: inout some CallSource, _ decoder: (any Decoder)?
    ) throws -> String {
        switch call.content {
        case .leaf(let leaf):
            // Other coders have forms of their own for these, which they themselves do not read from a decoder.
            switch leaf.kind.hasOtherForm ? way % 2 : way % 4 {
            case 0: return try container.read(leaf.kind, call.key).text
            case 1: return try container.readIfPresent(leaf.kind, call.key)?.text ?? "none"
            case 2: return try leaf.kind.decode(from: container.superDecoder(call.key)).text
            default: return try leaf.kind.decode(from: container.superDecoder(call.key).singleValueContainer()).text
            }
        case .null:
            switch way % 3 {
            case 0: return "\(try container.isNull(call.key))"
            case 1: return try container.readIfPresent(.int, call.key)?.text ?? "none"
            default: return try container.read(.optional, call.key).text
            }
        case .merged(let inner) where decoder != nil:
            guard let decoder else { return "" }
            return try machine.decode(inner) { "\(try CallValue(from: decoder).node.number)" }
        case .value(let inner), .nested(let inner), .superEncoder(let inner), .merged(let inner):
            if way % 6 == 5, inner.readShape == .keyed || inner.readShape == .unkeyed, call.key != nil {
                let node = inner
                if node.readShape == .keyed {
                    try run(node, container.nested(node.readKeys, call.key))
                } else {
                    try run(node, UnkeyedReadings(container: container.nestedList(call.key)))
                }
                return "nested"
            }
            return try machine.decode(inner) {
                let isChangeable = !inner.isNull && !inner.isOtherRecord && inner.leaf == nil
                let usual = way % 6 == 1 ? 0 : way % 6
                let number = try readValue(isChangeable ? way % 6 : usual, inner.isRecord, call.key, from: &container)
                if number != inner.number, number != 0 { machine.noteMistakenRecord() }
                return "\(number)"
            }
        }
    }

    private func readValue(
        _ way: Int, _ isRecord: Bool, _ key: Int?, from container: inout some CallSource
    ) throws -> Int {
        switch way {
        case 2:
            let decoder = try container.superDecoder(key)
            return try isRecord
                ? CallRecord(handed: decoder).node.number : CallValue(from: decoder).node.number
        case 3: return try CallValue(from: container.superDecoder(key)).node.number
        case 4:
            let single = try container.superDecoder(key).singleValueContainer()
            return try isRecord
                ? single.decode(CallRecord.self).node.number
                : single.decode(CallValue.self).node.number
        default:
            let readsRecord = way == 1 ? !isRecord : isRecord
            do { return try container.readValue(isRecord: readsRecord, key) } catch {
                // Where the record around it is read as this one and fails, it fails from then on.
                if readsRecord, container is SingleReadings, way == 1 || node.shape != .single {
                    machine.noteMistakenRecord()
                }
                throw error
            }
        }
    }
}

/// A container of a decoder.
protocol CallSource {
    var path: [any CodingKey] { get }
    var state: String { get }
    var allKeys: String { get }
    func contains(_ key: Int?) -> Bool
    mutating func isNull(_ key: Int?) throws -> Bool
    mutating func read(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf
    mutating func readIfPresent(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf?
    mutating func readMissing(_ way: Int) throws -> String
    mutating func readValue(isRecord: Bool, _ key: Int?) throws -> Int
    mutating func nested(_ keys: CallNode.Keys, _ key: Int?) throws -> KeyedReadings
    mutating func nestedList(_ key: Int?) throws -> any UnkeyedDecodingContainer
    mutating func superDecoder(_ key: Int?) throws -> any Decoder

    /// Goes on after an element that was not read.
    mutating func skip(after other: Self)
}

extension CallSource {
    mutating func skip(after other: Self) {}
}

struct KeyedReadings: CallSource {
    private var inner: any CallSource

    init(_ decoder: any Decoder, _ keys: CallNode.Keys) throws {
        switch keys {
        case .enumeration: inner = Readings(container: try decoder.container(keyedBy: CallKey.self))
        case .open: inner = Readings(container: try decoder.container(keyedBy: CallOpenKey.self))
        case .numbers: inner = Readings(container: try decoder.container(keyedBy: CallNumberKey.self))
        }
    }
    init<Key: CallKeys>(_ container: KeyedDecodingContainer<Key>) { inner = Readings(container: container) }

    var path: [any CodingKey] { inner.path }
    var state: String { "" }
    var allKeys: String { inner.allKeys }
    func contains(_ key: Int?) -> Bool { inner.contains(key) }
    mutating func isNull(_ key: Int?) throws -> Bool { try inner.isNull(key) }
    mutating func read(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf { try inner.read(kind, key) }
    mutating func readIfPresent(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf? {
        try inner.readIfPresent(kind, key)
    }
    mutating func readMissing(_ way: Int) throws -> String { try inner.readMissing(way) }
    mutating func readValue(isRecord: Bool, _ key: Int?) throws -> Int {
        try inner.readValue(isRecord: isRecord, key)
    }
    mutating func nested(_ keys: CallNode.Keys, _ key: Int?) throws -> KeyedReadings { try inner.nested(keys, key) }
    mutating func nestedList(_ key: Int?) throws -> any UnkeyedDecodingContainer { try inner.nestedList(key) }
    mutating func superDecoder(_ key: Int?) throws -> any Decoder { try inner.superDecoder(key) }

    private struct Readings<Own: CallKeys>: CallSource {
        let container: KeyedDecodingContainer<Own>
        private static var missing: Int { 15 }

        init(container: KeyedDecodingContainer<Own>) { self.container = container }

        var path: [any CodingKey] { container.codingPath }
        var state: String { "" }
        var allKeys: String { container.allKeys.map(\.stringValue).sorted().joined(separator: ",") }
        func contains(_ key: Int?) -> Bool { container.contains(Own.key(key ?? 0)) }
        func isNull(_ key: Int?) throws -> Bool { try container.decodeNil(forKey: Own.key(key ?? 0)) }
        func read(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf {
            guard let key else { return try kind.decode(from: container.superDecoder()) }
            return try kind.decode(from: container, Own.key(key))
        }
        func readIfPresent(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf? {
            try kind.decodeIfPresent(from: container, Own.key(key ?? 0))
        }
        func readMissing(_ way: Int) throws -> String {
            let key = Own.key(Self.missing)
            switch way % 6 {
            case 0: return "\(try container.decode(Int.self, forKey: key))"
            case 1: return "\(try container.decodeIfPresent(String.self, forKey: key) as Any)"
            case 2: return "\(try container.nestedContainer(keyedBy: CallOpenKey.self, forKey: key).allKeys)"
            case 3: return "\(try container.nestedUnkeyedContainer(forKey: key).isAtEnd)"
            case 4: return "\(try container.superDecoder(forKey: key).singleValueContainer().decodeNil())"
            default: return "\(try container.decodeNil(forKey: key))"
            }
        }
        func readValue(isRecord: Bool, _ key: Int?) throws -> Int {
            guard let key else {
                let single = try container.superDecoder().singleValueContainer()
                return try isRecord
                    ? single.decode(CallRecord.self).node.number
                    : single.decode(CallValue.self).node.number
            }
            if key % 3 == 2 {
                return try isRecord
                    ? container.decodeIfPresent(CallRecord.self, forKey: Own.key(key))?.node.number ?? 0
                    : container.decodeIfPresent(CallValue.self, forKey: Own.key(key))?.node.number ?? 0
            }
            return try isRecord
                ? container.decode(CallRecord.self, forKey: Own.key(key)).node.number
                : container.decode(CallValue.self, forKey: Own.key(key)).node.number
        }
        func nested(_ keys: CallNode.Keys, _ key: Int?) throws -> KeyedReadings {
            let key = Own.key(key ?? 0)
            return switch keys {
            case .enumeration: KeyedReadings(try container.nestedContainer(keyedBy: CallKey.self, forKey: key))
            case .open: KeyedReadings(try container.nestedContainer(keyedBy: CallOpenKey.self, forKey: key))
            case .numbers: KeyedReadings(try container.nestedContainer(keyedBy: CallNumberKey.self, forKey: key))
            }
        }
        func nestedList(_ key: Int?) throws -> any UnkeyedDecodingContainer {
            try container.nestedUnkeyedContainer(forKey: Own.key(key ?? 0))
        }
        func superDecoder(_ key: Int?) throws -> any Decoder {
            try key.map { try container.superDecoder(forKey: Own.key($0)) } ?? container.superDecoder()
        }
    }
}

struct UnkeyedReadings: CallSource {
    var container: any UnkeyedDecodingContainer
    var path: [any CodingKey] { container.codingPath }
    var state: String { "\(container.currentIndex) of \(container.count ?? -1) \(container.isAtEnd)" }
    var allKeys: String { "" }
    func contains(_ key: Int?) -> Bool { !container.isAtEnd }
    mutating func isNull(_ key: Int?) throws -> Bool { try container.decodeNil() }
    mutating func read(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf { try kind.decode(from: &container) }
    mutating func readIfPresent(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf? {
        // JSON's container goes on beyond the end.
        container.isAtEnd ? nil : try kind.decodeIfPresent(from: &container)
    }
    func readMissing(_ way: Int) throws -> String {
        // A copy goes its own way.
        var copy = container
        while !copy.isAtEnd { _ = try copy.superDecoder() }
        switch way % 5 {
        case 0: return "\(try copy.decode(Int.self))"
        case 1: return "\(try copy.decodeIfPresent(String.self) as Any)"
        case 2: return "\(try copy.nestedContainer(keyedBy: CallOpenKey.self).allKeys)"
        case 3: return "\(try copy.nestedUnkeyedContainer().isAtEnd)"
        default: return "\(try copy.decodeNil())"
        }
    }
    mutating func readValue(isRecord: Bool, _ key: Int?) throws -> Int {
        try isRecord
            ? container.decode(CallRecord.self).node.number
            : container.decode(CallValue.self).node.number
    }
    mutating func nested(_ keys: CallNode.Keys, _ key: Int?) throws -> KeyedReadings {
        switch keys {
        case .enumeration: KeyedReadings(try container.nestedContainer(keyedBy: CallKey.self))
        case .open: KeyedReadings(try container.nestedContainer(keyedBy: CallOpenKey.self))
        case .numbers: KeyedReadings(try container.nestedContainer(keyedBy: CallNumberKey.self))
        }
    }
    mutating func nestedList(_ key: Int?) throws -> any UnkeyedDecodingContainer {
        try container.nestedUnkeyedContainer()
    }
    mutating func superDecoder(_ key: Int?) throws -> any Decoder { try container.superDecoder() }
    mutating func skip(after other: UnkeyedReadings) {
        if container.currentIndex == other.container.currentIndex { _ = try? container.superDecoder() }
    }
}

/// A single value; what it has no call for is an error.
struct SingleReadings: CallSource {
    let container: any SingleValueDecodingContainer
    var path: [any CodingKey] { container.codingPath }
    var state: String { "" }
    var allKeys: String { "" }
    init(container: any SingleValueDecodingContainer) { self.container = container }
    func contains(_ key: Int?) -> Bool { !container.decodeNil() }
    func isNull(_ key: Int?) throws -> Bool { container.decodeNil() }
    func read(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf { try kind.decode(from: container) }
    func readIfPresent(_ kind: CallLeaf.Kind, _ key: Int?) throws -> CallLeaf? {
        container.decodeNil() ? nil : try kind.decode(from: container)
    }
    func readMissing(_ way: Int) throws -> String { "\(container.decodeNil())" }
    func readValue(isRecord: Bool, _ key: Int?) throws -> Int {
        try isRecord
            ? container.decode(CallRecord.self).node.number
            : container.decode(CallValue.self).node.number
    }
    func nested(_ keys: CallNode.Keys, _ key: Int?) throws -> KeyedReadings { throw CallError(number: -2) }
    func nestedList(_ key: Int?) throws -> any UnkeyedDecodingContainer { throw CallError(number: -2) }
    func superDecoder(_ key: Int?) throws -> any Decoder { throw CallError(number: -2) }
}
