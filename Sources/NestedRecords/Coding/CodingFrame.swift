/// One value that is being coded: a record, an embedded object, a list, or a single value.
///
/// Each frame knows its parent. The coding path is made of them when a path or an error needs it. Frames are objects, so
/// that containers share them and a container that user code keeps stays valid.
class CodingFrame<Own: ~Copyable>: UncheckedObject<FrameState<Own>> {
    /// How the keys of properties become names of fields.
    let naming: FieldNaming

    init(_ naming: FieldNaming, _ own: consuming Own) {
        self.naming = naming
        super.init(FrameState(own))
    }

    /// What belongs to one direction of coding alone.
    final var own: Own {
        @inline(__always)
        _read {
            yield state.own
        }
        @inline(__always)
        _modify {
            yield &state.own
        }
    }

    /// The record that this frame is, nil for other frames.
    var recordID: Record.ID? { nil }

    /// The key of the value in this frame that is being coded; lists know it as a position.
    var currentKey: (any CodingKey)? { state.hasKey ? state.key : nil }

    /// Makes the frame ready for a value.
    @inline(__always)
    final func begin(in parent: CodingFrame, record: Int) {
        // Mostly it is the frame that the value before was in.
        if state.parent !== parent { state.parent = parent }
        state.depth = parent.state.depth + 1
        state.recordPosition = record
        state.keysAreData = false
        state.hasKey = false
        state.isFlat = false
        if state.dictionaryKeyType != nil { state.dictionaryKeyType = nil }
    }

    /// Notes the key of the value that is coded next.
    @inline(__always)
    final func enter<Key: CodingKey>(_ key: Key) {
        state.key = key
        state.hasKey = true
    }

    /// Makes the frame independent of its parents, which serve other values: user code has kept it.
    final func detach() {
        state.keptPath = codingPath
        state.recordPosition = ownRecordPosition
        leaveParent()
    }

    /// Releases the parent.
    final func leaveParent() { state.parent = nil }

    /// The frame of the whole value, where this one is of a nested container or a superclass.
    final var whole: CodingFrame {
        var frame = self
        while frame.state.keyInParent != nil, let parent = frame.state.parent { frame = parent }
        return frame
    }
}

/// The state of a frame.
struct FrameState<Own: ~Copyable>: ~Copyable {
    /// The frame that contains this one.
    fileprivate(set) var parent: CodingFrame<Own>?

    /// The key of the value below that was coded last.
    fileprivate var key: (any CodingKey)?

    /// Whether the key belongs to the value that is open now.
    ///
    /// Cheaper to reset than the key.
    var hasKey = false

    /// Whether the fields of this frame are fields of a record: in the record itself, and in flattened values.
    var isFlat = false

    /// Whether this is a dictionary, whose keys are data and not property names.
    var keysAreData = false

    /// The type of the keys of a dictionary that was handed this frame by its owner: these are data too.
    fileprivate var dictionaryKeyType: ObjectIdentifier?

    /// The position of the record that this frame is, negative for other frames.
    var recordPosition = -1

    /// The number of frames from the root to this one.
    fileprivate(set) var depth = 0

    /// The key of this frame in its parent, where the parent's ``key`` is the key of another value: this is the frame of a
    /// nested container or of a superclass.
    var keyInParent: (any CodingKey)?

    /// The coding path of a frame that user code has kept beyond its value.
    var keptPath: [any CodingKey]?

    /// What belongs to one direction of coding alone.
    var own: Own

    init(_ own: consuming Own) { self.own = own }
}

// MARK: Kinds of keys

extension CodingFrame where Own: ~Copyable {
    /// The name of the field for a key.
    @inline(__always)
    final func fieldName<Key: CodingKey>(of key: Key) -> String {
        naming.isPlain ? key.stringValue : renamedFieldName(of: key)
    }

    private func renamedFieldName<Key: CodingKey>(of key: Key) -> String {
        hasData(as: Key.self) ? key.stringValue : naming.keyStrategy.fieldName(for: key.stringValue)
    }

    /// Whether the keys of a type are data, and no names of properties.
    final func hasData<Key: CodingKey>(as _: Key.Type) -> Bool {
        state.keysAreData || Key.self == PathKey.self || state.dictionaryKeyType == ObjectIdentifier(Key.self)
    }

    /// Whether the keys of this frame are those of a dictionary that was handed the frame.
    final var hasDataKeys: Bool { state.dictionaryKeyType != nil }

    /// Notes the keys of a dictionary that writes or reads this frame although it belongs to another type.
    @inline(__always)
    final func noteKeys<Key: CodingKey>(_: Key.Type) {
        if !naming.isPlain, !ByteKey.fits(Key.self), PathKey.isDictionaryKey(Key.self) {
            state.dictionaryKeyType = ObjectIdentifier(Key.self)
        }
    }

    /// Notes that keys that take every name are used on this frame: they are data as well.
    final func noteOpenKeys() {
        if state.dictionaryKeyType == nil { state.dictionaryKeyType = ObjectIdentifier(OpenKeys.self) }
    }

    /// Whether a key is the name of a property, and not data of a dictionary or a list.
    final func isProperty(_ key: (any CodingKey)?) -> Bool {
        guard let key else { return false }
        return !(key is PathKey) && !PathKey.isDictionaryKey(type(of: key))
    }

    /// The depth of the frame that is an open record, 0 if this frame is not in it.
    final func depth(ofOpenRecord position: Int) -> Int {
        var frame: CodingFrame? = self
        while let current = frame {
            if current.state.recordPosition == position { return current.state.depth }
            frame = current.state.parent
        }
        return 0
    }

    /// The position of the record that this frame is, or is a part of through `super` alone; negative for others.
    final var ownRecordPosition: Int {
        var frame = self
        while frame.state.recordPosition < 0, let parent = frame.state.parent { frame = parent }
        return frame.state.recordPosition
    }
}

/// The mark for types of keys that accept every name; their names are renamed as others are.
private enum OpenKeys {}

// MARK: The way from the root

extension CodingFrame where Own: ~Copyable {
    /// The frames from the root to this one.
    private final var trail: [CodingFrame] {
        var frames: [CodingFrame] = []
        var frame = self
        // The root's parent is no value.
        while let parent = frame.state.parent {
            frames.append(frame)
            frame = parent
        }
        return frames.reversed()
    }

    /// The key of this frame in its parent.
    private final var ownKey: (any CodingKey)? { state.keyInParent ?? state.parent?.currentKey }

    /// The coding keys from the root to this frame.
    final var codingPath: [any CodingKey] { codingPath(to: nil) }

    /// The coding keys from the root to the value in this frame that is being coded.
    final var pathOfNextValue: [any CodingKey] { codingPath(to: currentKey) }

    /// The coding keys from the root to this frame, or to a value in it.
    ///
    /// Every error has such a path, also one that a type catches: a way from the root would take five times as long.
    final func codingPath(to last: (any CodingKey)?) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        keys.reserveCapacity(state.depth + 1)
        if let last { keys.append(last) }
        var frame = self
        while let parent = frame.state.parent {
            if let key = frame.ownKey { keys.append(key) }
            frame = parent
        }
        keys.reverse()
        return (frame.state.keptPath ?? []) + keys
    }

    /// The place of the value in this frame that is being coded.
    final var placeOfNextValue: RecordContext { place(of: currentKey) }

    /// The place of this frame, or of a value in it.
    final func place(of last: (any CodingKey)? = nil) -> RecordContext {
        var path: [any CodingKey] = []
        var records: [(id: Record.ID, start: Int)] = []
        let trail = trail
        for frame in trail {
            if let key = frame.ownKey { path.append(key) }
            if let id = frame.recordID { records.append((id, path.count)) }
        }
        last.map { path.append($0) }
        guard let record = records.last else { return RecordContext(codingPath: path) }
        let chain = zip(records, records.dropFirst().map(\.start) + [path.count]).map { record, end in
            RecordContext.Step(record: record.id, path: Array(path[record.start..<end]).pathText)
        }
        let frames = (trail.lastIndex { $0.recordID != nil }).map { trail[($0 + 1)...] } ?? []
        return RecordContext(
            record: record.id, field: recordFieldName(frames, last), codingPath: path, chain: chain)
    }

    /// The place of an error with a coding path of its own.
    final func place(ofErrorAt path: [any CodingKey]) -> RecordContext {
        guard leads(to: path) else { return placeOfNextValue }
        return place(of: path.dropFirst(codingPath.count).first)
    }

    /// Whether a coding path begins with that of this frame.
    final func leads(to path: [any CodingKey]) -> Bool {
        let start = codingPath
        return path.count >= start.count && zip(path, start).allSatisfy { $0.stringValue == $1.stringValue }
    }

    /// The type of the record that a value in this frame belongs to, and the field that contains it.
    final func recordField(of key: (any CodingKey)?) -> (type: String, field: String)? {
        let trail = trail
        guard let position = trail.lastIndex(where: { $0.recordID != nil }), let type = trail[position].recordID?.type
        else { return nil }
        return (type, recordFieldName(trail[(position + 1)...], key) ?? Record.singleValueField)
    }

    /// The name of the field that contains the last value of a trail.
    ///
    /// - Parameters:
    ///   - frames: The frames in the record.
    ///   - last: The key of a value in the last one.
    private func recordFieldName(_ frames: ArraySlice<CodingFrame>, _ last: (any CodingKey)?) -> String? {
        let isFlat = frames.map { $0.state.isFlat }
        let keys = frames.map(\.ownKey) + [last]
        guard let start = keys.firstIndex(where: { $0 != nil }), let first = keys[start] else { return nil }
        var name = recordFieldName(of: first)
        guard let separator = naming.separator else { return name }
        for position in keys.indices[(start + 1)...] {
            guard isFlat[position - 1], let key = keys[position] else { break }
            name += separator + recordFieldName(of: key)
        }
        return name
    }

    /// The name of a record's field for the first key below it; the elements of a list are in a field of their own.
    private func recordFieldName(of key: any CodingKey) -> String {
        if key is PathKey { return key.intValue == nil ? key.stringValue : Record.singleValueField }
        if naming.keyStrategy.renames, PathKey.isDictionaryKey(type(of: key)) { return key.stringValue }
        return naming.keyStrategy.fieldName(for: key.stringValue)
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
        while let parent = frame.state.parent {
            if let id = frame.recordID { return id }
            frame = parent
        }
        return frame.recordID
    }
}
