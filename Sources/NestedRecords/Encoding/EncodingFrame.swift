/// One open frame of a value that is being encoded: the place its containers write to.
final class EncodingFrame: CodingFrame {
    enum Content {
        case undecided
        case keyed
        /// Keyed by the keys of a dictionary, which are data.
        case dictionary
        case list
        case single
        /// The value is complete; a container that user code kept cannot write any more.
        case closed
    }

    let session: EncodingSession

    @exclusivity(unchecked) private(set) var content = Content.undecided

    /// The values of the fields, the elements of the list, or the single value.
    @exclusivity(unchecked) var values = GrowingList<Record.Value>()

    /// The position of the next element of a list whose elements are not in ``values``.
    @exclusivity(unchecked) var position = 0

    /// The names of the fields: a node of the session's tree, or nil when they are in ``names``.
    ///
    /// The session holds the tree, and this frame the session.
    @exclusivity(unchecked) var shape: Unmanaged<ShapeNode>?
    @exclusivity(unchecked) var names: [String] = []
    @exclusivity(unchecked) var positions: [String: Int]?

    /// A nested container or super encoder, with the position that waits for its value.
    struct Child {
        let position: Int
        var encoder: ValueEncoder

        /// The key of a property about whose values the record says more.
        let adjustedKey: (any CodingKey)?
    }

    /// Nested containers and super encoders.
    @exclusivity(unchecked) var children: [Child] = []

    /// The children by the position of their value.
    @exclusivity(unchecked) var childPositions: [Int: Int] = [:]

    /// What is known of the properties where embedded values are flattened.
    @exclusivity(unchecked) var flat = FlatFrame()

    /// What the record says of its properties, where this frame is a record or the `super` of one.
    ///
    /// The session's encoder of the record's type holds them.
    @exclusivity(unchecked) var typeInfo: Unmanaged<RecordTypeInfo>?

    /// Whether the parent is another frame than the one below on the stack.
    @exclusivity(unchecked) var hasOtherParent = false

    /// Whether this is the nested frame of an ignored property: nothing in it is encoded.
    var isIgnored = false

    init(session: EncodingSession) {
        self.session = session
        super.init(keyStrategy: session.options.keyStrategy, session.options.embeddingStrategy)
    }

    /// Whether the keys that are written here are a record's own properties.
    var isOwnRecord: Bool { content == .keyed && typeInfo != nil && ownRecordPosition >= 0 }

    /// Whether the value that is encoded now is a record's own property.
    var isOwnProperty: Bool { isOwnRecord && isProperty(currentKey) }

    override var recordID: Record.ID? {
        // After the call the records are gone, but user code may have kept this frame.
        recordPosition >= 0 && recordPosition < session.records.count ? session.records[recordPosition].id : nil
    }

    /// Makes the frame ready for another value.
    ///
    /// - Parameters:
    ///   - depth: The number of levels from the root to this one.
    ///   - shape: Where the names of the fields begin in the session's tree.
    ///   - record: The position of the record that the value is, or a negative number.
    ///   - typeInfo: What the record says of its properties.
    @inline(__always)
    func reopen(depth: Int, shape: Unmanaged<ShapeNode>?, record: Int, _ typeInfo: Unmanaged<RecordTypeInfo>?) {
        self.depth = depth
        content = .undecided
        position = 0
        forgetKeys()
        recordPosition = record
        isFlat = record >= 0
        self.typeInfo = typeInfo
        self.shape = shape
        if !names.isEmpty {
            names = []
            positions = nil
        }
        if session.flattens { flat = FlatFrame() }
        // Left over where an error ended the value before.
        if !values.isEmpty { dropValues() }
    }

    /// How many values there may be room for between two of the values that a frame is used for.
    static let mostKeptValues = 256

    func dropValues() { values.removeAll(keeping: Self.mostKeptValues) }

    override var currentKey: (any CodingKey)? {
        switch content {
        case .list: PathKey(index: values.count + position)
        case .dictionary: super.currentKey ?? names.last.map(PathKey.init(stringValue:))
        case .undecided, .keyed, .single, .closed: super.currentKey
        }
    }

    /// Releases what belongs to earlier values.
    func reset() {
        forgetValue()
        // The session sets it again.
        if hasOtherParent { parent = nil }
        dropValues()
        if !names.isEmpty { names = [] }
        positions = nil
    }

    func close() {
        content = .closed
        shape = nil
        values.removeAll(keeping: 0)
        if !children.isEmpty { closeDescendants() }
    }

    // Without recursion: containers can be nested in a loop, far beyond what a stack holds.
    func closeDescendants() {
        session.mayBeHeld = true
        for frame in descendants.reversed() + [self] {
            for position in frame.children.indices {
                frame.detachIfHeld(childAt: position)
                let child = frame.children[position].encoder.frame
                child.content = .closed
                child.shape = nil
                child.values.removeAll(keeping: 0)
                child.parent = nil
            }
            frame.children = []
            frame.childPositions = [:]
        }
    }

    /// Detaches a nested frame if user code still holds it.
    func detachIfHeld(childAt position: Int) {
        let isFree =
            isKnownUniquelyReferenced(&children[position].encoder) && children[position].encoder.isContainerFree
        if isFree { return }
        session.mayBeHeld = true
        children[position].encoder.frame.detach()
    }

    /// The nested levels, each before those that are nested in it.
    var descendants: [EncodingFrame] {
        var levels = children.map(\.encoder.frame)
        var next = 0
        while next < levels.count {
            levels += levels[next].children.map(\.encoder.frame)
            next += 1
        }
        return levels
    }
}

// MARK: Kinds

extension EncodingFrame {
    /// Makes this a frame of a kind, or finds that it is one of another kind.
    ///
    /// - Returns: Whether the frame is of that kind now. If not, the session has failed.
    func become(_ kind: Content) -> Bool {
        if content == .undecided { content = kind == .keyed && keysAreData ? .dictionary : kind }
        if content == kind || content == .dictionary && kind == .keyed { return true }
        if content != .closed {
            let context = EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "a value cannot be written as \(kind) and as \(content)\(place().recordSuffix)")
            session.fail(EncodingError.invalidValue(content, context))
        }
        return false
    }

    /// The error for a write to a frame whose value is complete.
    func closedError(_ value: Any) -> any Error {
        let context = EncodingError.Context(
            codingPath: codingPath, debugDescription: "the container is used after its value was encoded")
        return session.failure ?? EncodingError.invalidValue(value, context)
    }
}

extension EncodingFrame.Content: CustomStringConvertible {
    var description: String {
        switch self {
        case .undecided: "nothing"
        case .keyed: "a keyed container"
        case .dictionary: "a dictionary"
        case .list: "an unkeyed container"
        case .single: "a single value"
        case .closed: "a value that is complete"
        }
    }
}
