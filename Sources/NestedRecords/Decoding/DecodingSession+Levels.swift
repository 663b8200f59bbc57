extension DecodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    ///
    /// - Returns: The level. The session holds it until it is closed.
    @inline(__always)
    func open(
        _ source: DecodingLevel.Source, record: Int = -1, _ facts: Unmanaged<RecordFacts>? = nil
    ) throws -> OpenDecodingLevel {
        let depth = depthOfNextValue
        if depth > options.maximumDepth { throw depthError() }
        if openLevels == stack.count { addLevel() }
        let opened = stack[openLevels]
        opened.level._withUnsafeGuaranteedRef { level in
            if nestedParent != nil || level.hasOtherParent { setParent(of: level) }
            level.reopen(depth: depth, source, record: record, facts)
        }
        openLevels += 1
        if openLevels > mostOpenLevels { mostOpenLevels = openLevels }
        return opened
    }

    /// How many levels there would be from the root to the next value, were it one.
    @inline(__always)
    var depthOfNextValue: Int {
        if nestedParent != nil { return (nestedParent?.depth ?? 0) + 1 }
        return openLevels > 0 ? stack[openLevels - 1].depth + 1 : 1
    }

    @inline(never)
    private func depthError() -> any Error {
        dependedDepth = 0
        return RecordError.depthLimitExceeded(options.maximumDepth, place: placeOfNextValue)
    }

    @inline(never)
    private func setParent(of level: DecodingLevel) {
        level.parent = innermostLevel
        level.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addLevel() {
        let decoder = makeDecoder()
        decoders.append(decoder)
        stack.append(OpenDecodingLevel(decoder))
    }

    private func makeDecoder() -> ValueDecoder {
        let level = DecodingLevel(session: self)
        if openLevels > 0 { level.parent = stack[openLevels - 1].level.takeUnretainedValue() }
        return ValueDecoder(level: level)
    }

    /// Closes the innermost level.
    ///
    /// If somebody keeps its decoder or a container, it is left to them.
    @inline(__always)
    func close() {
        openLevels -= 1
        let areChildrenFree = stack[openLevels].level._withUnsafeGuaranteedRef { $0.finish() }
        if !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openLevels])
            || !stack[openLevels].decoder._withUnsafeGuaranteedRef({ $0.isContainerFree })
            || isOver
        {
            closeHeldLevel(areChildrenFree)
        }
    }

    @inline(never)
    private func closeHeldLevel(_ areChildrenFree: Bool) {
        let isHeld =
            !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openLevels])
            || !decoders[openLevels].isContainerFree
        if isHeld {
            mayBeHeld = true
            decoders[openLevels].level.outlive()
        }
        if isOver {
            _ = stack.popLast()
            _ = decoders.popLast()
        } else {
            let decoder = makeDecoder()
            decoders[openLevels] = decoder
            stack[openLevels] = OpenDecodingLevel(decoder)
            if openLevels + 1 < stack.count {
                stack[openLevels + 1].level.takeUnretainedValue().hasOtherParent = true
            }
        }
    }

    /// The depth of the level that is an open record.
    func depth(ofRecord position: Int) -> Int {
        for level in (0..<openLevels).reversed() {
            let level = stack[level].level.takeUnretainedValue()
            if level.recordPosition == position { return level.depth }
        }
        return 0
    }

    /// The level in which the next value stands.
    @inline(__always)
    var innermostLevel: DecodingLevel? {
        nestedParent ?? (openLevels > 0 ? stack[openLevels - 1].level.takeUnretainedValue() : nil)
    }
}

/// A level and its decoder, which the session holds as long as the level is open.
struct OpenDecodingLevel {
    let decoder: Unmanaged<ValueDecoder>
    let level: Unmanaged<DecodingLevel>

    init(_ decoder: ValueDecoder) {
        self.decoder = Unmanaged.passUnretained(decoder)
        level = Unmanaged.passUnretained(decoder.level)
    }

    @inline(__always)
    var depth: Int { level._withUnsafeGuaranteedRef { $0.depth } }
}
