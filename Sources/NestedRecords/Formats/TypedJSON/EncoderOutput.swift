/// Writes the typed form to any encoder.
struct EncoderOutput: TypedOutput {
    private enum Container {
        case list(any UnkeyedEncodingContainer)
        case object(KeyedEncodingContainer<PathKey>)
    }

    private let encoder: any Encoder
    private var open: [Container] = []
    private var key = PathKey(index: 0)

    init(_ encoder: any Encoder) { self.encoder = encoder }

    /// Changes the innermost container; nil if there is none.
    private mutating func inner<Result>(
        _ changeList: (inout any UnkeyedEncodingContainer) throws -> Result,
        _ changeObject: (inout KeyedEncodingContainer<PathKey>, PathKey) throws -> Result
    ) rethrows -> Result? {
        switch open.popLast() {
        case nil: return nil
        case .list(var list):
            defer { open.append(.list(list)) }
            return try changeList(&list)
        case .object(var object):
            defer { open.append(.object(object)) }
            return try changeObject(&object, key)
        }
    }

    mutating func beginList() throws {
        let list = inner({ $0.nestedUnkeyedContainer() }, { $0.nestedUnkeyedContainer(forKey: $1) })
        open.append(.list(list ?? encoder.unkeyedContainer()))
    }

    mutating func beginObject() throws {
        let object = inner(
            { $0.nestedContainer(keyedBy: PathKey.self) }, { $0.nestedContainer(keyedBy: PathKey.self, forKey: $1) })
        open.append(.object(object ?? encoder.container(keyedBy: PathKey.self)))
    }

    mutating func endList() { open.removeLast() }

    mutating func endObject() { open.removeLast() }

    mutating func writeKey(_ key: String) { self.key = PathKey(stringValue: key) }

    mutating func writeKey(plain key: String) { writeKey(key) }

    mutating func writeNull() throws {
        guard try inner({ try $0.encodeNil() }, { try $0.encodeNil(forKey: $1) }) == nil else { return }
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }

    mutating func write(_ value: some Encodable) throws {
        guard try inner({ try $0.encode(value) }, { try $0.encode(value, forKey: $1) }) == nil else { return }
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    mutating func write(plain value: String) throws { try write(value) }
}
