/// The decoder that a value sees.
final class ValueDecoder: RecordValueDecoder {
    let frame: DecodingFrame

    @exclusivity(unchecked) private var containers = ContainerCache()

    init(frame: DecodingFrame) {
        self.frame = frame
    }

    /// Takes the place of another decoder, for the next call: who kept that one weakly must not reach this one.
    init(replacing other: ValueDecoder) {
        frame = other.frame
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { frame.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.session.options.userInfo) }

    /// Whether nobody holds a keyed container of this decoder.
    @inline(__always)
    var isContainerFree: Bool { containers.areFree }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        frame.noteKeys(Key.self)
        try frame.openKeyed(Key.self)
        if containers.has(keyedBy: Key.self), let (maker, object) = containers.kept {
            return unsafeDowncast(maker, to: ContainerMaker<KeyedDecodingContainer<Key>>.self).container(object)
        }
        return makeContainer()
    }

    // Apart, so that the type of the container is not put together on the way that reuses one.
    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(KeyedContainer<Key>(frame: frame))
        containers.keep(container, keyedBy: Key.self)
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedContainer(decoder: self, values: try frame.openUnkeyed())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self, value: try frame.singleValue(of: Any.self))
    }
}
