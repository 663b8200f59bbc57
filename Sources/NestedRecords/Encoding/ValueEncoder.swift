/// The encoder that a value sees.
final class ValueEncoder: RecordValueEncoder {
    let level: EncodingLevel

    @exclusivity(unchecked) private var containers = HandedOutContainers()

    init(level: EncodingLevel) {
        self.level = level
    }

    /// Takes the place of another encoder, for the next call: who kept that one weakly must not reach this one.
    init(replacing other: ValueEncoder) {
        level = other.level
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { level.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { level.userInfo(level.session.options.userInfo) }

    /// Whether nobody holds a keyed container of this encoder.
    @inline(__always)
    var isContainerFree: Bool { containers.areFree }

    /// Whether nothing of the value before is left that keeps the encoder from serving another one.
    @inline(__always)
    var isReusable: Bool { level.children.isEmpty && containers.areFree }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        level.noteKeys(Key.self)
        if level.session.notesKeys { level.noteKeysOnce(Key.self) }
        guard level.become(.keyed) else { return KeyedEncodingContainer(KeyedContainer(level: discardedLevel)) }
        if containers.has(keyedBy: Key.self), let (maker, object) = containers.kept {
            return unsafeDowncast(maker, to: ContainerMaker<KeyedEncodingContainer<Key>>.self).container(object)
        }
        return makeContainer()
    }

    // Apart, so that the type of the container is not put together on the way that reuses one.
    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedEncodingContainer<Key> {
        let container = KeyedEncodingContainer(KeyedContainer<Key>(level: level))
        containers.keep(container, keyedBy: Key.self)
        return container
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedContainer(encoder: level.become(.list) ? self : ValueEncoder(level: discardedLevel))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueContainer(encoder: level.become(.single) ? self : ValueEncoder(level: discardedLevel))
    }

    /// A closed level, for containers that must be returned although the session has failed.
    private var discardedLevel: EncodingLevel {
        let discarded = EncodingLevel(session: level.session)
        discarded.parent = level
        discarded.close()
        level.session.mayBeHeld = true
        return discarded
    }
}
