/// The decoder that a value sees.
final class ValueDecoder: RecordValueDecoder {
    let level: DecodingLevel

    @exclusivity(unchecked) private var containers = HandedOutContainers()

    init(level: DecodingLevel) {
        self.level = level
    }

    /// Takes the place of another decoder, for the next call: who kept that one weakly must not reach this one.
    init(replacing other: ValueDecoder) {
        level = other.level
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { level.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { level.userInfo(level.session.options.userInfo) }

    /// Whether nobody holds a keyed container of this decoder.
    @inline(__always)
    var isContainerFree: Bool { containers.areFree }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        level.noteKeys(Key.self)
        try level.openKeyed(Key.self)
        if containers.has(keyedBy: Key.self), let (maker, object) = containers.kept {
            return unsafeDowncast(maker, to: ContainerMaker<KeyedDecodingContainer<Key>>.self).container(object)
        }
        return makeContainer()
    }

    // Apart, so that the type of the container is not put together on the way that reuses one.
    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(KeyedContainer<Key>(level: level))
        containers.keep(container, keyedBy: Key.self)
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(decoder: self, values: try level.openUnkeyed())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self, value: try level.singleValue(of: Any.self))
    }
}
