protocol CodingCall: AnyObject {
    var naming: FieldNaming { get }

    func recordID(at position: Int) -> Record.ID?
}

/// One value that is being coded: a record, an embedded object, a list, or a single value.
///
/// Each frame refers to its parent. The coding path is built from the frames when it is needed, for example for an
/// error. Frames are objects, so that containers share them and a container that user code keeps stays valid.
class CodingFrame<Call: CodingCall, Own: ~Copyable>: UncheckedObject<FrameState<Call, Own>> {
    let call: Call

    init(_ call: Call, _ own: consuming Own) {
        self.call = call
        super.init(FrameState(own))
    }

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

    var currentKey: (any CodingKey)? { state.current.key }

    var isFlat: Bool { false }

    @inline(__always)
    final func enter(_ parent: CodingFrame, as role: RecordRole) {
        // Usually the parent is the same as for the previous value.
        if !isSame(state.parent, parent) { state.parent = parent }
        state.depth = parent.state.depth + 1
        state.role = role
        state.keys = .properties
        leave()
    }

    final func enterTarget() { state.depth += 1 }

    @inline(__always)
    final func enter<Key: CodingKey>(_ key: Key) { state.current = .key(key) }

    @inline(__always)
    final func leave() { state.current = .none }

    /// Gives the frame a fresh state.
    ///
    /// - Returns: The previous state. Releasing a key from user code may run user code.
    final func renew(_ own: consuming Own) -> FrameState<Call, Own> {
        var former = FrameState<Call, Own>(own)
        swap(&state, &former)
        return former
    }

    /// Makes the frame independent of its parents, which serve other values: user code holds the frame.
    final func detach() {
        state.origin = .kept(path: codingPath, record: recordPosition)
        leaveParent()
    }

    final func leaveParent() { state.parent = nil }

    /// The frame of the whole value, if this frame belongs to a nested container or a superclass.
    final var whole: CodingFrame {
        var frame = self
        while case .nested = frame.state.origin, let parent = frame.state.parent { frame = parent }
        return frame
    }
}

struct FrameState<Call: CodingCall, Own: ~Copyable>: ~Copyable {
    fileprivate(set) var parent: CodingFrame<Call, Own>?
    fileprivate(set) var depth = 0
    var origin = FrameOrigin.value
    var role = RecordRole.value
    var keys = FrameKeys.properties
    var current = CurrentKey.none
    var own: Own

    init(_ own: consuming Own) { self.own = own }
}

enum FrameOrigin {
    case value
    case nested(under: any CodingKey)
    /// User code holds it after the end of its value, which had this coding path and was in the record at this
    /// position.
    case kept(path: [any CodingKey], record: Int)
}

enum RecordRole {
    case value
    /// The record at a position, with the information about its properties.
    ///
    /// The coder of the record's type holds the information until the call ends.
    case record(at: Int, Borrowed<RecordTypeUse>?)
    /// The `super` of a record, which has further properties of the record.
    case superclass(Borrowed<RecordTypeUse>)
    case ignored
}

enum FrameKeys {
    case properties
    case data
    case dictionary(ObjectIdentifier)
}

enum CurrentKey {
    case none
    case key(any CodingKey)
    case listElement(Int)
    case mapEntry(String)

    var key: (any CodingKey)? {
        switch self {
        case .none: nil
        case .key(let key): key
        case .listElement(let index): PathKey(index: index)
        case .mapEntry(let name): PathKey(stringValue: name)
        }
    }
}

// MARK: Kinds of keys

extension CodingFrame where Own: ~Copyable {
    @inline(__always)
    final func fieldName<Key: CodingKey>(of key: Key) -> String {
        call.naming.isPlain ? key.stringValue : renamedFieldName(of: key)
    }

    private func renamedFieldName<Key: CodingKey>(of key: Key) -> String {
        hasData(as: Key.self) ? key.stringValue : naming.keyStrategy.fieldName(for: key.stringValue)
    }

    @inline(__always)
    final var naming: FieldNaming { call.naming }

    final func hasData<Key: CodingKey>(as _: Key.Type) -> Bool {
        switch state.keys {
        case .properties: Key.self == PathKey.self
        case .data: true
        case .dictionary(let type): Key.self == PathKey.self || type == ObjectIdentifier(Key.self)
        }
    }

    @inline(__always)
    final func noteKeys<Key: CodingKey>(_: Key.Type) {
        if !call.naming.isPlain, !ByteKey.fits(Key.self), PathKey.isDictionaryKey(Key.self) {
            state.keys = .dictionary(ObjectIdentifier(Key.self))
        }
    }

    final func noteOpenKeys() {
        if case .properties = state.keys { state.keys = .dictionary(ObjectIdentifier(OpenKeys.self)) }
    }

    /// Whether a key is the name of a property instead of data of a dictionary or a list.
    final func isProperty(_ key: (any CodingKey)?) -> Bool {
        guard let key else { return false }
        return !(key is PathKey) && !PathKey.isDictionaryKey(type(of: key))
    }

}

/// Marks types of keys that accept every name; their names are converted like others.
private enum OpenKeys {}

// MARK: Records

extension CodingFrame where Own: ~Copyable {
    /// The position of the record that this frame represents, or in which it was kept; negative for others.
    private final var ownPosition: Int {
        if case .record(let position, _) = state.role { return position }
        if case .kept(_, let position) = state.origin { return position }
        return -1
    }

    final var recordID: Record.ID? { call.recordID(at: ownPosition) }

    /// The position of the record that this frame belongs to; negative if none exists.
    final var recordPosition: Int {
        var frame = self
        while frame.ownPosition < 0, let parent = frame.state.parent { frame = parent }
        return frame.ownPosition
    }

    final func isInside(record position: Int) -> Bool {
        var frame = self
        while let parent = frame.state.parent {
            if parent.ownPosition == position { return true }
            frame = parent
        }
        return false
    }

    @inline(__always)
    final var recordType: Borrowed<RecordTypeUse>? {
        switch state.role {
        case .record(_, let type): type
        case .superclass(let type): type
        case .value, .ignored: nil
        }
    }

    final var isOwnRecord: Bool {
        switch state.role {
        case .record: true
        case .superclass: recordPosition >= 0
        case .value, .ignored: false
        }
    }

    final var isOwnProperty: Bool { isOwnRecord && isProperty(currentKey) }
}

// MARK: The way from the root

extension CodingFrame where Own: ~Copyable {
    private final var trail: [CodingFrame] {
        var frames: [CodingFrame] = []
        var frame = self
        // The root's parent is not a value.
        while let parent = frame.state.parent {
            frames.append(frame)
            frame = parent
        }
        return frames.reversed()
    }

    private final var ownKey: (any CodingKey)? {
        if case .nested(let key) = state.origin { return key }
        return state.parent?.currentKey
    }

    final var codingPath: [any CodingKey] { codingPath(to: nil) }

    final var pathOfNextValue: [any CodingKey] { codingPath(to: currentKey) }

    /// The coding keys from the root to this frame, or to a value in it.
    ///
    /// Every error has such a path, also an error that a type catches: starting at the root would take five times as
    /// long.
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
        if case .kept(let path, _) = frame.state.origin { return path + keys }
        return keys
    }

    final var placeOfNextValue: RecordContext { place(of: currentKey) }

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

    final func place(ofErrorAt path: [any CodingKey]) -> RecordContext {
        guard leads(to: path) else { return placeOfNextValue }
        return place(of: path.dropFirst(codingPath.count).first)
    }

    final func leads(to path: [any CodingKey]) -> Bool {
        let start = codingPath
        return path.count >= start.count && zip(path, start).allSatisfy { $0.stringValue == $1.stringValue }
    }

    final func recordField(of key: (any CodingKey)?) -> (type: String, field: String)? {
        let trail = trail
        guard let position = trail.lastIndex(where: { $0.recordID != nil }), let type = trail[position].recordID?.type
        else { return nil }
        return (type, recordFieldName(trail[(position + 1)...], key) ?? Record.singleValueField)
    }

    private func recordFieldName(_ frames: ArraySlice<CodingFrame>, _ last: (any CodingKey)?) -> String? {
        let isFlat = frames.map(\.isFlat)
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
        if naming.renames, PathKey.isDictionaryKey(type(of: key)) { return key.stringValue }
        return naming.keyStrategy.fieldName(for: key.stringValue)
    }

    final func userInfo(_ options: [CodingUserInfoKey: any Sendable]) -> [CodingUserInfoKey: Any] {
        var info: [CodingUserInfoKey: Any] = options
        info[.recordID] = call.recordID(at: recordPosition)
        return info
    }
}
