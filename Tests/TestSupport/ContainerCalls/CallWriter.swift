/// Encodes a value by its plan.
struct CallWriter {
    let encoder: any Encoder
    let machine: CallMachine

    init(_ encoder: any Encoder) throws {
        self.encoder = encoder
        machine = try encoder.callMachine()
    }

    func run(_ node: CallNode) throws {
        machine.disturbance?.begin(encoder)
        machine.note("encode \(node.number)", encoder.codingPath)
        switch node.shape {
        case .keyed: try run(node, KeyedCalls(encoder, node.keys), encoder)
        case .unkeyed: try run(node, UnkeyedCalls(encoder.unkeyedContainer()), encoder)
        case .single: try run(node, SingleCalls(encoder.singleValueContainer()), encoder)
        case .handedOn: try handOn(node)
        case .unusedSingle:
            machine.note("single", encoder.singleValueContainer().codingPath)
            try handOn(node)
        case .nothing: break
        }
        machine.disturbance?.end(encoder, node.shape)
        if node.failure != nil { throw CallError(number: node.number) }
    }

    private func handOn(_ node: CallNode) throws {
        for call in node.calls {
            switch call.content {
            case .leaf(let leaf): try leaf.encode(to: encoder)
            case .null: try Int?.none.encode(to: encoder)
            case .value(let inner), .nested(let inner), .superEncoder(let inner), .merged(let inner):
                try CallValue(inner).encode(to: encoder)
            }
        }
    }

    /// - Parameters:
    ///   - encoder: The encoder that the container is of, nil if it is nested in another container.
    ///   - askAgain: Asks for a nested container again; nil if that would be another one.
    private func run<Container: CallContainer>(
        _ node: CallNode, _ container: Container, _ encoder: (any Encoder)? = nil, askAgain: (() -> Container)? = nil
    ) throws {
        var container = container
        var late: [() throws -> Void] = []
        machine.note("\(node.shape), \(container.count)", container.path)
        for (position, call) in node.calls.enumerated() {
            if node.failure == position { throw CallError(number: node.number) }
            if call.asksAgain {
                if let encoder { container.askAgain(encoder) } else if let askAgain { container = askAgain() }
            }
            if call.isLate {
                late.append(opened(call, in: &container, isNested: encoder == nil))
                continue
            }
            try machine.call("\(text(of: call)), \(container.count)", container.path, isCaught: call.isCaught) {
                try write(call, to: &container, encoder)
                return ""
            }
        }
        for write in late.reversed() { try write() }
    }

    /// Opens the container of a call; the result writes to it.
    private func opened(_ call: Call, in container: inout some CallContainer, isNested: Bool) -> () throws -> Void {
        let key = call.key ?? 0
        switch call.content {
        case .nested(let node) where node.shape == .keyed:
            let inner = nested(node, in: &container, key)
            return { try run(node, inner) }
        case .nested(let node):
            let inner = UnkeyedCalls(container.nestedList(key))
            return { try run(node, inner) }
        case .superEncoder(let node):
            let inner = container.superEncoder(call.key)
            return { try machine.pathless(isNested) { try write(node, to: inner) } }
        case .leaf, .null, .value, .merged: return {}
        }
    }

    private func nested(_ node: CallNode, in container: inout some CallContainer, _ key: Int) -> KeyedCalls {
        switch node.keys {
        case .enumeration: KeyedCalls(container.nested(CallKey.self, key))
        case .open: KeyedCalls(container.nested(CallOpenKey.self, key))
        case .numbers: KeyedCalls(container.nested(CallNumberKey.self, key))
        }
    }

    private func write(_ node: CallNode, to encoder: any Encoder) throws {
        if node.isRecord {
            try CallRecord(node).encode(to: encoder)
        } else {
            try CallValue(node).encode(to: encoder)
        }
    }

    private func text(of call: Call) -> String {
        let content =
            switch call.content {
            case .leaf(let leaf): "\(leaf.text)"
            case .null: "null"
            case .value(let node): "value \(node.number)\(node.isRecord ? ", a record" : "")"
            case .nested(let node): "nested \(node.number)"
            case .superEncoder(let node): "super \(node.number)"
            case .merged(let node): "merged \(node.number)"
            }
        return "write \(content) to \(call.key.map { "\($0)" } ?? "super")"
    }

    private func write(
        _ call: Call, to container: inout some CallContainer, _ encoder: (any Encoder)?
    ) throws {
        switch call.content {
        case .leaf(let leaf): try container.write(leaf, call.key ?? 0)
        case .null: try container.writeNull(call.key ?? 0)
        case .value(let node):
            try machine.pathless(encoder == nil) { try write(node, to: &container, call.key ?? 0) }
        case .nested(let node):
            // In a list the next container is another one.
            let key = container.isKeyed ? call.key : nil
            var again = container
            if node.shape == .keyed {
                let inner = nested(node, in: &container, call.key ?? 0)
                try run(node, inner, askAgain: key.map { key in { nested(node, in: &again, key) } })
            } else {
                let inner = UnkeyedCalls(container.nestedList(call.key ?? 0))
                try run(node, inner, askAgain: key.map { key in { UnkeyedCalls(again.nestedList(key)) } })
            }
            if node.failure != nil { throw CallError(number: node.number) }
        case .superEncoder(let node):
            let inner = container.superEncoder(call.key)
            try machine.pathless(encoder == nil) { try write(node, to: inner) }
        case .merged(let node):
            guard let encoder else {
                return try machine.pathless(true) { try write(node, to: &container, call.key ?? 0) }
            }
            try CallValue(node).encode(to: encoder)
        }
    }

    private func write(_ node: CallNode, to container: inout some CallContainer, _ key: Int) throws {
        // What a value has written before it throws, JSON's encoder writes into the next one.
        if machine.isJSON, let error = node.error {
            return try container.write(CallFailure(error: CallError(number: error)), key)
        }
        try machine.muted(node.error != nil) {
            if node.isRecord {
                try container.write(CallRecord(node), key)
            } else {
                try container.write(CallValue(node), key)
            }
        }
    }
}

/// Throws before it asks for a container.
struct CallFailure: Encodable {
    let error: CallError
    func encode(to encoder: any Encoder) throws { throw error }
}

/// A container of an encoder.
protocol CallContainer {
    var path: [any CodingKey] { get }
    var count: Int { get }
    var isKeyed: Bool { get }
    mutating func askAgain(_ encoder: any Encoder)
    mutating func write(_ leaf: CallLeaf, _ key: Int) throws
    mutating func write(_ value: some Encodable, _ key: Int) throws
    mutating func writeNull(_ key: Int) throws
    mutating func nested<Key: CallKeys>(_ type: Key.Type, _ key: Int) -> KeyedEncodingContainer<Key>
    mutating func nestedList(_ key: Int) -> any UnkeyedEncodingContainer
    mutating func superEncoder(_ key: Int?) -> any Encoder
}

extension CallContainer {
    var isKeyed: Bool { false }
}

/// A keyed container whose type of keys is not known.
struct KeyedCalls: CallContainer {
    private var inner: any CallContainer
    private var keys = CallNode.Keys.open

    init(_ encoder: any Encoder, _ keys: CallNode.Keys) {
        self.keys = keys
        switch keys {
        case .enumeration: inner = Calls(container: encoder.container(keyedBy: CallKey.self))
        case .open: inner = Calls(container: encoder.container(keyedBy: CallOpenKey.self))
        case .numbers: inner = Calls(container: encoder.container(keyedBy: CallNumberKey.self))
        }
    }
    init<Key: CallKeys>(_ container: KeyedEncodingContainer<Key>) { inner = Calls(container: container) }

    var isKeyed: Bool { true }

    var path: [any CodingKey] { inner.path }
    var count: Int { 0 }

    /// Asks for a container with keys of another type.
    mutating func askAgain(_ encoder: any Encoder) {
        self = KeyedCalls(encoder, CallNode.Keys(rawValue: (keys.rawValue + 1) % 3) ?? .open)
    }
    mutating func write(_ leaf: CallLeaf, _ key: Int) throws { try inner.write(leaf, key) }
    mutating func write(_ value: some Encodable, _ key: Int) throws { try inner.write(value, key) }
    mutating func writeNull(_ key: Int) throws { try inner.writeNull(key) }
    mutating func nested<Key: CallKeys>(_ type: Key.Type, _ key: Int) -> KeyedEncodingContainer<Key> {
        inner.nested(type, key)
    }
    mutating func nestedList(_ key: Int) -> any UnkeyedEncodingContainer { inner.nestedList(key) }
    mutating func superEncoder(_ key: Int?) -> any Encoder { inner.superEncoder(key) }

    private struct Calls<Own: CallKeys>: CallContainer {
        var container: KeyedEncodingContainer<Own>
        var path: [any CodingKey] { container.codingPath }
        var count: Int { 0 }
        mutating func askAgain(_ encoder: any Encoder) {}
        mutating func write(_ leaf: CallLeaf, _ key: Int) throws {
            if key.isMultiple(of: 2) {
                try leaf.encode(in: &container, Own.key(key))
            } else {
                try leaf.encodeIfPresent(in: &container, Own.key(key))
            }
        }
        mutating func write(_ value: some Encodable, _ key: Int) throws {
            try container.encode(value, forKey: Own.key(key))
        }
        mutating func writeNull(_ key: Int) throws { try container.encodeNil(forKey: Own.key(key)) }
        mutating func nested<Key: CallKeys>(_ type: Key.Type, _ key: Int) -> KeyedEncodingContainer<Key> {
            container.nestedContainer(keyedBy: type, forKey: Own.key(key))
        }
        mutating func nestedList(_ key: Int) -> any UnkeyedEncodingContainer {
            container.nestedUnkeyedContainer(forKey: Own.key(key))
        }
        mutating func superEncoder(_ key: Int?) -> any Encoder {
            key.map { container.superEncoder(forKey: Own.key($0)) } ?? container.superEncoder()
        }
    }
}

struct UnkeyedCalls: CallContainer {
    private var container: any UnkeyedEncodingContainer
    init(_ container: any UnkeyedEncodingContainer) { self.container = container }
    var path: [any CodingKey] { container.codingPath }
    var count: Int { container.count }
    mutating func askAgain(_ encoder: any Encoder) { container = encoder.unkeyedContainer() }
    mutating func write(_ leaf: CallLeaf, _ key: Int) throws { try leaf.encode(in: &container) }
    mutating func write(_ value: some Encodable, _ key: Int) throws { try container.encode(value) }
    mutating func writeNull(_ key: Int) throws { try container.encodeNil() }
    mutating func nested<Key: CallKeys>(_ type: Key.Type, _ key: Int) -> KeyedEncodingContainer<Key> {
        container.nestedContainer(keyedBy: type)
    }
    mutating func nestedList(_ key: Int) -> any UnkeyedEncodingContainer { container.nestedUnkeyedContainer() }
    mutating func superEncoder(_ key: Int?) -> any Encoder { container.superEncoder() }
}

struct SingleCalls: CallContainer {
    private var container: any SingleValueEncodingContainer
    init(_ container: any SingleValueEncodingContainer) { self.container = container }
    var path: [any CodingKey] { container.codingPath }
    var count: Int { 0 }
    mutating func askAgain(_ encoder: any Encoder) { container = encoder.singleValueContainer() }
    mutating func write(_ leaf: CallLeaf, _ key: Int) throws { try leaf.encode(in: &container) }
    mutating func write(_ value: some Encodable, _ key: Int) throws { try container.encode(value) }
    mutating func writeNull(_ key: Int) throws { try container.encodeNil() }
    mutating func nested<Key: CallKeys>(_ type: Key.Type, _ key: Int) -> KeyedEncodingContainer<Key> {
        preconditionFailure("a single value has no nested containers")
    }
    mutating func nestedList(_ key: Int) -> any UnkeyedEncodingContainer {
        preconditionFailure("a single value has no nested containers")
    }
    mutating func superEncoder(_ key: Int?) -> any Encoder {
        preconditionFailure("a single value has no super encoder")
    }
}
