/// The decoder that a value sees.
final class ValueDecoder: Decoder {
    let level: DecodingLevel

    /// The keyed container that was handed out last, and the type of its keys.
    private var box: AnyContainerBox?
    private var boxKeyType: ObjectIdentifier?

    init(level: DecodingLevel) {
        self.level = level
    }

    var codingPath: [any CodingKey] { level.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { level.userInfo(level.session.options.userInfo) }

    /// Whether nobody holds a keyed container of this decoder.
    @inline(__always)
    var isContainerFree: Bool { box?.isUnique ?? true }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try level.openKeyed(Key.self)
        if boxKeyType == ObjectIdentifier(Key.self), let box {
            return unsafeDowncast(box, to: ContainerBox<KeyedDecodingContainer<Key>>.self).container
        }
        return makeContainer()
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(KeyedContainer<Key>(level: level))
        box = ContainerBox(container)
        boxKeyType = ObjectIdentifier(Key.self)
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(decoder: self, values: try level.openUnkeyed())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self, value: try level.singleValue(of: Any.self))
    }
}
