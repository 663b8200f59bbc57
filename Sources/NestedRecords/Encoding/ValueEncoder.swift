/// The encoder that a value sees.
final class ValueEncoder: RecordValueEncoder {
    let frame: EncodingFrame

    @exclusivity(unchecked) private var containers = ContainerCache()

    init(frame: EncodingFrame) {
        self.frame = frame
    }

    /// Replaces another encoder before the next call: a weak reference to that one must not reach this one.
    init(replacing other: ValueEncoder) {
        frame = other.frame
        swap(&containers, &other.containers)
    }

    var codingPath: [any CodingKey] { frame.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { frame.userInfo(frame.session.options.userInfo) }

    /// Whether user code holds no keyed container of this encoder.
    @inline(__always)
    var isContainerFree: Bool { containers.areFree }

    /// Whether nothing of the value before is left that keeps the encoder from serving another one.
    @inline(__always)
    var isReusable: Bool { frame.children.isEmpty && containers.areFree }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        frame.noteKeys(Key.self)
        if frame.session.notesKeys { frame.noteKeysOnce(Key.self) }
        guard frame.become(.keyed) else { return KeyedEncodingContainer(KeyedContainer(frame: discardedFrame)) }
        if containers.has(keyedBy: Key.self), let (maker, object) = containers.kept {
            return unsafeDowncast(maker, to: ContainerMaker<KeyedEncodingContainer<Key>>.self).container(object)
        }
        return makeContainer()
    }

    // Not inlined, so that reusing a container does not instantiate its type.
    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedEncodingContainer<Key> {
        let container = KeyedEncodingContainer(KeyedContainer<Key>(frame: frame))
        containers.keep(container, keyedBy: Key.self)
        return container
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedContainer(encoder: frame.become(.list) ? self : ValueEncoder(frame: discardedFrame))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueContainer(encoder: frame.become(.single) ? self : ValueEncoder(frame: discardedFrame))
    }

    /// A closed frame, for containers that must be returned although the session has failed.
    private var discardedFrame: EncodingFrame {
        let discarded = EncodingFrame(session: frame.session)
        discarded.parent = frame
        discarded.close()
        frame.session.mayBeHeld = true
        return discarded
    }
}
