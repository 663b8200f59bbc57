/// The decoder that a value sees.
final class ValueDecoder: RecordValueDecoder {
    let frame: DecodingFrame

    @exclusivity(unchecked) private var containers = ContainerCache()

    init(frame: DecodingFrame) {
        self.frame = frame
    }

    /// Replaces another decoder before the next call: a weak reference to that one must not reach this one.
    init(replacing other: ValueDecoder) {
        frame = other.frame
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { frame.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.session.options.userInfo) }

    /// Whether user code holds no keyed container of this decoder.
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

    // Not inlined, so that reusing a container does not instantiate its type.
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
