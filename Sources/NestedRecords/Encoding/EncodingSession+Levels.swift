extension EncodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    ///
    /// - Returns: The level. The session holds it until it is closed.
    @inline(__always)
    func open(
        shape: Unmanaged<ShapeNode>? = nil, record: Int = -1, _ facts: Unmanaged<RecordFacts>? = nil
    ) throws -> OpenLevel {
        var outerDepth = openLevels > 0 ? stack[openLevels - 1].depth : 0
        if nestedParent != nil { outerDepth = nestedParent.map(\.depth) ?? 0 }
        if outerDepth >= options.maximumDepth { throw fail(depthError()) }
        if openLevels == stack.count { addLevel() }
        let opened = stack[openLevels]
        opened.level._withUnsafeGuaranteedRef { level in
            if nestedParent != nil || level.hasOtherParent { setParent(of: level) }
            level.reopen(depth: outerDepth + 1, shape: shape, record: record, facts)
        }
        openLevels += 1
        if openLevels > mostOpenLevels { mostOpenLevels = openLevels }
        return opened
    }

    @inline(never)
    private func depthError() -> any Error {
        let place = levelOfNextValue.map { $0.place(of: $0.currentKey) } ?? RecordPlace()
        return RecordError.depthLimitExceeded(options.maximumDepth, place: place)
    }

    @inline(never)
    private func setParent(of level: EncodingLevel) {
        level.parent = levelOfNextValue
        level.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addLevel() {
        let encoder = makeEncoder()
        encoders.append(encoder)
        stack.append(OpenLevel(encoder))
    }

    private func makeEncoder() -> ValueEncoder {
        let level = EncodingLevel(session: self)
        if openLevels > 0 { level.parent = stack[openLevels - 1].level.takeUnretainedValue() }
        return ValueEncoder(level: level)
    }

    /// Closes the innermost level.
    ///
    /// If somebody keeps its encoder or a container, it is left to them.
    @inline(__always)
    func close() {
        openLevels -= 1
        if !isKnownUniquelyReferenced(&encoders[openLevels])
            || !stack[openLevels].encoder._withUnsafeGuaranteedRef({ $0.isReusable })
        {
            closeHeldLevel()
        }
    }

    @inline(never)
    private func closeHeldLevel() {
        let level = encoders[openLevels].level
        // Left over where the value ended with an error.
        if !level.children.isEmpty { level.closeDescendants() }
        if isKnownUniquelyReferenced(&encoders[openLevels]), encoders[openLevels].isReusable { return }
        mayBeHeld = true
        level.outlive()
        level.close()
        let encoder = makeEncoder()
        encoders[openLevels] = encoder
        stack[openLevels] = OpenLevel(encoder)
        if openLevels + 1 < stack.count {
            stack[openLevels + 1].level.takeUnretainedValue().hasOtherParent = true
        }
    }

    /// The level in which the next value stands.
    @inline(__always)
    var levelOfNextValue: EncodingLevel? {
        nestedParent ?? (openLevels > 0 ? stack[openLevels - 1].level.takeUnretainedValue() : nil)
    }
}

/// A level and its encoder, which the session holds as long as the level is open.
struct OpenLevel {
    let encoder: Unmanaged<ValueEncoder>
    let level: Unmanaged<EncodingLevel>

    init(_ encoder: ValueEncoder) {
        self.encoder = Unmanaged.passUnretained(encoder)
        level = Unmanaged.passUnretained(encoder.level)
    }

    @inline(__always)
    var depth: Int { level._withUnsafeGuaranteedRef { $0.depth } }
}
