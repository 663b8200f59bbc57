extension EncodingSession {
    /// Opens a frame for a value nested in the innermost open one.
    ///
    /// - Returns: The frame. The session holds it until it is closed.
    @inline(__always)
    func open(
        shape: Unmanaged<ShapeNode>? = nil, record: Int = -1, _ typeInfo: Unmanaged<RecordTypeInfo>? = nil
    ) throws -> OpenEncodingFrame {
        var outerDepth = openFrames > 0 ? stack[openFrames - 1].depth : 0
        if nestedParent != nil { outerDepth = nestedParent.map(\.depth) ?? 0 }
        if outerDepth >= options.maximumDepth { throw fail(depthError()) }
        if openFrames == stack.count { addFrame() }
        let opened = stack[openFrames]
        opened.frame._withUnsafeGuaranteedRef { frame in
            if nestedParent != nil || frame.hasOtherParent { setParent(of: frame) }
            frame.reopen(depth: outerDepth + 1, shape: shape, record: record, typeInfo)
        }
        openFrames += 1
        if openFrames > mostOpenFrames { mostOpenFrames = openFrames }
        return opened
    }

    @inline(never)
    private func depthError() -> any Error {
        let place = frameOfNextValue.map { $0.place(of: $0.currentKey) } ?? RecordContext()
        return RecordError.depthLimitExceeded(options.maximumDepth, context: place)
    }

    @inline(never)
    private func setParent(of frame: EncodingFrame) {
        frame.parent = frameOfNextValue
        frame.hasOtherParent = nestedParent != nil
        nestedParent = nil
    }

    @inline(never)
    private func addFrame() {
        let encoder = makeEncoder()
        encoders.append(encoder)
        stack.append(OpenEncodingFrame(encoder))
    }

    private func makeEncoder() -> ValueEncoder {
        let frame = EncodingFrame(session: self)
        if openFrames > 0 { frame.parent = stack[openFrames - 1].frame.takeUnretainedValue() }
        return ValueEncoder(frame: frame)
    }

    /// Closes the innermost frame.
    ///
    /// If user code holds its encoder or a container, a new frame takes its place on the stack.
    @inline(__always)
    func close() {
        openFrames -= 1
        if !isKnownUniquelyReferenced(&encoders[openFrames])
            || !stack[openFrames].encoder._withUnsafeGuaranteedRef({ $0.isReusable })
        {
            closeHeldFrame()
        }
    }

    @inline(never)
    private func closeHeldFrame() {
        let frame = encoders[openFrames].frame
        // Left over where the value ended with an error.
        if !frame.children.isEmpty { frame.closeDescendants() }
        if isKnownUniquelyReferenced(&encoders[openFrames]), encoders[openFrames].isReusable { return }
        mayBeHeld = true
        frame.detach()
        frame.close()
        let encoder = makeEncoder()
        encoders[openFrames] = encoder
        stack[openFrames] = OpenEncodingFrame(encoder)
        if openFrames + 1 < stack.count {
            stack[openFrames + 1].frame.takeUnretainedValue().hasOtherParent = true
        }
    }

    /// The frame that contains the next value.
    @inline(__always)
    var frameOfNextValue: EncodingFrame? {
        nestedParent ?? (openFrames > 0 ? stack[openFrames - 1].frame.takeUnretainedValue() : nil)
    }
}

/// A frame and its encoder, which the session holds as long as the frame is open.
struct OpenEncodingFrame {
    let encoder: Unmanaged<ValueEncoder>
    let frame: Unmanaged<EncodingFrame>

    init(_ encoder: ValueEncoder) {
        self.encoder = Unmanaged.passUnretained(encoder)
        frame = Unmanaged.passUnretained(encoder.frame)
    }

    @inline(__always)
    var depth: Int { frame._withUnsafeGuaranteedRef { $0.depth } }
}
