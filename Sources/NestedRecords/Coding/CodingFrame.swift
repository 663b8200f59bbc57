/// One open frame of a value that is being coded: a record, an embedded object, a list, or a single value.
///
/// Each frame knows its parent. The coding path is built from them only when a path or an error needs it. They are classes, so that containers share them and a container that user code keeps stays valid.
class CodingFrame {
    /// How the keys of properties become names of fields.
    private let keyStrategy: KeyStrategy

    /// The separator between the names of flattened fields; nil where embedded values are not flattened.
    private let separator: String?

    /// Whether the fields of this frame are fields of a record: in the record itself, and in flattened values.
    @exclusivity(unchecked) final var isFlat = false

    /// Whether this is a dictionary, whose keys are data and not property names.
    @exclusivity(unchecked) final var keysAreData = false

    /// The type of the keys of a dictionary that was handed this frame by its owner: these are data too.
    @exclusivity(unchecked) private final var dictionaryKeyType: ObjectIdentifier?

    /// The way from the root to this frame, once the frame is detached from its parents.
    private final var ownTrail: [TrailStep]?

    /// Whether this frame is not the innermost one on the stack, so that values in it need their parent stated.
    @exclusivity(unchecked) final var isDetached = false

    /// One frame on the way from the root: its record, if it is one, and its key in the parent.
    struct TrailStep {
        let record: Record.ID?
        let key: (any CodingKey)?
        let isFlat: Bool
    }

    /// The frame that contains this one.
    @exclusivity(unchecked) final var parent: CodingFrame?

    /// The key of this frame in its parent, where the parent's ``key`` is the key of another value.
    @exclusivity(unchecked) final var keyInParent: (any CodingKey)?

    /// The key of the value below that was coded last.
    @exclusivity(unchecked) private final var key: (any CodingKey)?

    /// Whether the key belongs to the value that is open now.
    ///
    /// Cheaper to reset than the key.
    @exclusivity(unchecked) final var hasKey = false

    /// The position of the record that this frame is, negative for other levels.
    @exclusivity(unchecked) final var recordPosition = -1

    /// The record that this frame is, nil for other levels.
    var recordID: Record.ID? { nil }

    /// The number of frames from the root to this one.
    @exclusivity(unchecked) final var depth = 0

    init(keyStrategy: KeyStrategy, _ embeddingStrategy: EmbeddingStrategy) {
        self.keyStrategy = keyStrategy
        separator = embeddingStrategy.separator
    }

    /// The name of the field for a key.
    final func fieldName<Key: CodingKey>(of key: Key) -> String {
        hasData(as: Key.self) ? key.stringValue : keyStrategy.fieldName(for: key.stringValue)
    }

    /// Whether the keys of a type are data, and no names of properties.
    final func hasData<Key: CodingKey>(as _: Key.Type) -> Bool {
        keysAreData || Key.self == PathKey.self || dictionaryKeyType == ObjectIdentifier(Key.self)
    }

    /// Notes the keys of a dictionary that writes or reads this frame although it belongs to another type.
    @inline(__always)
    final func noteKeys<Key: CodingKey>(_: Key.Type) {
        if separator != nil || keyStrategy.renames, !ByteKey.fits(Key.self), PathKey.isDictionaryKey(Key.self) {
            dictionaryKeyType = ObjectIdentifier(Key.self)
        }
    }

    /// Forgets what the value before was.
    @inline(__always)
    final func forgetKeys() {
        keysAreData = false
        hasKey = false
        if dictionaryKeyType != nil { dictionaryKeyType = nil }
    }

    /// Releases what belongs to earlier values.
    final func forgetValue() {
        key = nil
        forgetKeys()
    }

    /// Whether a key is the name of a property, and not data of a dictionary or a list.
    final func isProperty(_ key: (any CodingKey)?) -> Bool {
        guard let key else { return false }
        return !(key is PathKey) && !PathKey.isDictionaryKey(type(of: key))
    }

    /// Makes the frame independent of its parents, which are reused for other values.
    final func detach() {
        ownTrail = trail
        parent = nil
        isDetached = true
    }

    /// The frame of the record that this frame is a part of through `super` alone, and that record's position.
    final var ownRecordPosition: Int {
        var frame = self
        while frame.recordPosition < 0, let parent = frame.parent { frame = parent }
        return frame.recordPosition
    }

    /// The levels from the root to this one.
    private var trail: [TrailStep] {
        var steps: [TrailStep] = []
        var frame = self
        while frame.ownTrail == nil {
            steps.append(
                TrailStep(
                    record: frame.recordID, key: frame.keyInParent ?? frame.parent?.currentKey, isFlat: frame.isFlat))
            guard let parent = frame.parent else { break }
            frame = parent
        }
        return (frame.ownTrail ?? []) + steps.reversed()
    }

    /// The coding keys from the root to this frame.
    final var codingPath: [any CodingKey] { trail.compactMap(\.key) }

    /// The key of the value below that is being coded; lists know it as a position.
    var currentKey: (any CodingKey)? { hasKey ? key : nil }

    /// Notes the key of the value that is coded next.
    @inline(__always)
    final func enter<Key: CodingKey>(_ key: Key) {
        self.key = key
        hasKey = true
    }

    /// Whether the keys of this frame are those of a dictionary that was handed the frame.
    final var hasDataKeys: Bool { dictionaryKeyType != nil }

    /// Notes that keys that take every name are used on this frame: they are data as well.
    final func noteOpenKeys<Key: CodingKey>(_: Key.Type) {
        if dictionaryKeyType == nil { dictionaryKeyType = ObjectIdentifier(OpenKeys.self) }
    }

    /// The mark for types of keys that accept every name; their names are renamed as others are.
    private enum OpenKeys {}

    /// The name of the field that contains the last value of a trail.
    ///
    /// - Parameters:
    ///   - steps: The levels in the record.
    ///   - last: The key of a value in the last one.
    private func recordFieldName(_ steps: ArraySlice<TrailStep>, _ last: (any CodingKey)?) -> String? {
        let isFlat = steps.map(\.isFlat)
        let keys = steps.map(\.key) + [last]
        guard let start = keys.firstIndex(where: { $0 != nil }), let first = keys[start] else { return nil }
        var name = recordFieldName(of: first)
        guard let separator else { return name }
        for position in keys.indices[(start + 1)...] {
            guard isFlat[position - 1], let key = keys[position] else { break }
            name += separator + recordFieldName(of: key)
        }
        return name
    }

    /// The name of a record's field for the first key below it; the elements of a list are in a field of their own.
    private func recordFieldName(of key: any CodingKey) -> String {
        if key is PathKey { return key.intValue == nil ? key.stringValue : RecordTypeInfo.singleValueField }
        if keyStrategy.renames, PathKey.isDictionaryKey(type(of: key)) { return key.stringValue }
        return keyStrategy.fieldName(for: key.stringValue)
    }

    /// The type of the record that a value in this frame belongs to, and the field that contains it.
    final func recordField(of key: (any CodingKey)?) -> (type: String, field: String)? {
        let trail = trail
        guard let position = trail.lastIndex(where: { $0.record != nil }), let type = trail[position].record?.type
        else {
            return nil
        }
        return (type, recordFieldName(trail[(position + 1)...], key) ?? RecordTypeInfo.singleValueField)
    }

    /// The place of an error with a coding path of its own.
    final func place(ofErrorAt path: [any CodingKey]) -> RecordContext {
        let start = codingPath
        guard path.count >= start.count, zip(path, start).allSatisfy({ $0.stringValue == $1.stringValue }) else {
            return place(of: currentKey)
        }
        return place(of: path.count > start.count ? path[start.count] : nil)
    }

    /// The place of this frame, or of a value in it.
    final func place(of last: (any CodingKey)? = nil) -> RecordContext {
        var chain: [RecordContext.Step] = []
        var path: [any CodingKey] = []
        var record: (id: Record.ID, start: Int)?
        let trail = trail
        for step in trail {
            step.key.map { path.append($0) }
            guard let id = step.record else { continue }
            if let record {
                chain.append(RecordContext.Step(record: record.id, path: Array(path[record.start...]).pathText))
            }
            record = (id, path.count)
        }
        last.map { path.append($0) }
        guard let record else { return RecordContext(codingPath: path) }
        chain.append(RecordContext.Step(record: record.id, path: Array(path[record.start...]).pathText))
        let steps = (trail.lastIndex { $0.record != nil }).map { trail[($0 + 1)...] } ?? []
        return RecordContext(
            record: record.id, field: recordFieldName(steps, last), codingPath: path, chain: chain)
    }

    /// The user's information, with the ID of the record that this frame belongs to.
    final func userInfo(_ options: [CodingUserInfoKey: any Sendable]) -> [CodingUserInfoKey: Any] {
        var info: [CodingUserInfoKey: Any] = options
        info[.recordID] = enclosingRecord
        return info
    }

    /// The record that this frame belongs to.
    private var enclosingRecord: Record.ID? {
        var frame = self
        while frame.ownTrail == nil {
            if let id = frame.recordID { return id }
            guard let parent = frame.parent else { return nil }
            frame = parent
        }
        return frame.ownTrail?.last { $0.record != nil }?.record
    }
}
