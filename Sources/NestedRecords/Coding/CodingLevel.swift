/// One open level of a value that is being coded: a record, an embedded object, a list, or a single value.
///
/// The levels know the way from the root to the place where the coder is; it is put together only when a path or an
/// error asks for it. They are classes so that containers share them, and live as long as a container that a user
/// kept.
class CodingLevel {
    /// How the keys of properties become names of fields.
    private let keyStrategy: KeyStrategy

    /// Whether this is a dictionary, whose keys are data and not names of properties.
    @exclusivity(unchecked) final var keysAreData = false

    /// The level that this one stands in.
    @exclusivity(unchecked) final var parent: CodingLevel?

    /// The key under which the parent holds this level, for levels that the parent's ``key`` does not speak of.
    @exclusivity(unchecked) final var keyInParent: (any CodingKey)?

    /// The key of the value below that was coded last.
    @exclusivity(unchecked) private final var key: (any CodingKey)?

    /// Whether the key belongs to the value that is open now.
    ///
    /// Cheaper to take back than the key.
    @exclusivity(unchecked) final var hasKey = false

    /// The position of the record that this level is, negative for other levels.
    @exclusivity(unchecked) final var recordPosition = -1

    /// The record that this level is, nil for other levels.
    var recordID: Record.ID? { nil }

    /// How many levels there are from the root to this one.
    @exclusivity(unchecked) final var depth = 0

    init(keyStrategy: KeyStrategy) {
        self.keyStrategy = keyStrategy
    }

    /// The name of the field for a key.
    final func fieldName(of key: some CodingKey) -> String {
        if keysAreData || key is PathKey { return key.stringValue }
        return keyStrategy.fieldName(for: key.stringValue)
    }

    /// The coding keys from the root to this level.
    final var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var level = self
        while let parent = level.parent {
            if let key = level.keyInParent ?? parent.currentKey { path.append(key) }
            level = parent
        }
        return path.reversed()
    }

    /// The key of the value below that is being coded; lists know it as a position.
    var currentKey: (any CodingKey)? { hasKey ? key : nil }

    /// Notes the key of the value that is coded next.
    @inline(__always)
    final func enter<Key: CodingKey>(_ key: Key) {
        self.key = key
        hasKey = true
    }

    /// The name of a record's field for the first key below it: elements stand in a field of their own.
    private func recordFieldName(of key: any CodingKey) -> String {
        key is PathKey && key.intValue != nil ? RecordFacts.singleValueField : fieldName(of: key)
    }

    /// The type of the record that a value in this level belongs to, and the field in which it stands.
    final func recordField(of key: (any CodingKey)?) -> (type: String, field: String)? {
        var level = self
        var key = key
        while level.recordID == nil {
            guard let parent = level.parent else { return nil }
            key = level.keyInParent ?? parent.currentKey
            level = parent
        }
        guard let type = level.recordID?.type else { return nil }
        return (type, key.map(level.recordFieldName) ?? RecordFacts.singleValueField)
    }

    /// The place of an error with a coding path of its own.
    final func place(ofErrorAt path: [any CodingKey]) -> RecordPlace {
        let start = codingPath
        guard path.count >= start.count, zip(path, start).allSatisfy({ $0.stringValue == $1.stringValue }) else {
            return place(of: currentKey)
        }
        return place(of: path.count > start.count ? path[start.count] : nil)
    }

    /// The place of this level, or of a value in it.
    final func place(of last: (any CodingKey)? = nil) -> RecordPlace {
        var steps: [RecordPlace.Step] = []
        var keys: [any CodingKey] = last.map { [$0] } ?? []
        var field: String?
        var level: CodingLevel? = self
        while let current = level {
            if let id = current.recordID {
                if steps.isEmpty { field = keys.last.map(current.recordFieldName) }
                steps.append(RecordPlace.Step(record: id, path: Array(keys.reversed()).pathText))
                keys = []
            }
            if let parent = current.parent, let key = current.keyInParent ?? parent.currentKey { keys.append(key) }
            level = current.parent
        }
        return RecordPlace(
            record: steps.first?.record, field: field,
            codingPath: codingPath + (last.map { [$0] } ?? []), chain: steps.reversed())
    }

    /// The user's information, with the ID of the record that this level belongs to.
    final func userInfo(_ options: [CodingUserInfoKey: any Sendable]) -> [CodingUserInfoKey: Any] {
        var info: [CodingUserInfoKey: Any] = options
        var level: CodingLevel? = self
        while let current = level, current.recordID == nil { level = current.parent }
        info[.recordID] = level?.recordID
        return info
    }
}
