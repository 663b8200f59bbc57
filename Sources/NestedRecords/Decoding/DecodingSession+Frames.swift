extension DecodingSession {
    /// Opens a frame for a value nested in the innermost open one.
    ///
    /// - Returns: The frame. The session holds it until it is closed.
    @inline(__always)
    func open(
        _ source: DecodingFrame.Source, record: Int = -1, _ typeInfo: Unmanaged<RecordTypeInfo>? = nil
    ) throws -> OpenDecodingFrame {
        let depth = depthOfNextValue
        if depth > options.maximumDepth { throw depthError() }
        if openFrames == stack.count { addFrame() }
        let opened = stack[openFrames]
        opened.frame._withUnsafeGuaranteedRef { frame in
            if nestedParent != nil || frame.hasOtherParent { setParent(of: frame) }
            frame.reopen(depth: depth, source, record: record, typeInfo)
        }
        openFrames += 1
        if openFrames > mostOpenFrames { mostOpenFrames = openFrames }
        return opened
    }

    /// The depth that the frame of the next value would have.
    @inline(__always)
    var depthOfNextValue: Int {
        if nestedParent != nil { return (nestedParent?.depth ?? 0) + 1 }
        return openFrames > 0 ? stack[openFrames - 1].depth + 1 : 1
    }

    @inline(never)
    private func depthError() -> any Error {
        dependedDepth = 0
        return RecordError.depthLimitExceeded(options.maximumDepth, context: placeOfNextValue)
    }

    @inline(never)
    private func setParent(of frame: DecodingFrame) {
        frame.parent = innermostFrame
        frame.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addFrame() {
        let decoder = makeDecoder()
        decoders.append(decoder)
        stack.append(OpenDecodingFrame(decoder))
    }

    private func makeDecoder() -> ValueDecoder {
        let frame = DecodingFrame(session: self)
        if openFrames > 0 { frame.parent = stack[openFrames - 1].frame.takeUnretainedValue() }
        return ValueDecoder(frame: frame)
    }

    /// Closes the innermost frame.
    ///
    /// If user code holds its decoder or a container, a new frame takes its place on the stack.
    @inline(__always)
    func close() {
        openFrames -= 1
        let areChildrenFree = stack[openFrames].frame._withUnsafeGuaranteedRef { $0.finish() }
        if !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openFrames])
            || !stack[openFrames].decoder._withUnsafeGuaranteedRef({ $0.isContainerFree })
            || isOver
        {
            closeHeldFrame(areChildrenFree)
        }
    }

    @inline(never)
    private func closeHeldFrame(_ areChildrenFree: Bool) {
        let isHeld =
            !areChildrenFree || !isKnownUniquelyReferenced(&decoders[openFrames])
            || !decoders[openFrames].isContainerFree
        if isHeld {
            mayBeHeld = true
            decoders[openFrames].frame.detach()
        }
        if isOver {
            _ = stack.popLast()
            _ = decoders.popLast()
        } else {
            let decoder = makeDecoder()
            decoders[openFrames] = decoder
            stack[openFrames] = OpenDecodingFrame(decoder)
            if openFrames + 1 < stack.count {
                stack[openFrames + 1].frame.takeUnretainedValue().hasOtherParent = true
            }
        }
    }

    /// The depth of the frame that is an open record.
    func depth(ofRecord position: Int) -> Int {
        for frame in (0..<openFrames).reversed() {
            let frame = stack[frame].frame.takeUnretainedValue()
            if frame.recordPosition == position { return frame.depth }
        }
        return 0
    }

    /// The frame that contains the next value.
    @inline(__always)
    var innermostFrame: DecodingFrame? {
        nestedParent ?? (openFrames > 0 ? stack[openFrames - 1].frame.takeUnretainedValue() : nil)
    }
}

/// A frame and its decoder, which the session holds as long as the frame is open.
struct OpenDecodingFrame {
    let decoder: Unmanaged<ValueDecoder>
    let frame: Unmanaged<DecodingFrame>

    init(_ decoder: ValueDecoder) {
        self.decoder = Unmanaged.passUnretained(decoder)
        frame = Unmanaged.passUnretained(decoder.frame)
    }

    @inline(__always)
    var depth: Int { frame._withUnsafeGuaranteedRef { $0.depth } }
}
