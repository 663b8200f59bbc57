extension EncodingSession {
    private static let pool = SessionPool<EncodingSession>()

    /// A session for one call.
    static func session(for encoder: RecordEncoder) -> EncodingSession {
        // What is known about types depends on these.
        guard !encoder.keyStrategy.renames, encoder.embeddingStrategy == .map, let session = pool.take() else {
            return EncodingSession(encoder: encoder)
        }
        session.options = encoder
        session.call += 1
        return session
    }

    /// Waits for another call, without anything that belongs to this one.
    ///
    /// - Returns: Whether the session waits now; if not it is of no more use.
    func recycle() -> Bool {
        guard !mayBeHeld, openFrames == 0, conflictID == nil, !options.keyStrategy.renames, !flattens,
            encoders.count <= SessionLimits.levels,
            shapes.count <= SessionLimits.shapes, typeEncoders.count <= SessionLimits.types
        else { return false }
        replaceEncoders()
        index = .empty
        if !madeNames.positions.isEmpty { madeNames = MadeNames() }
        states.removeAll(keeping: SessionLimits.records)
        shapes.forgetPredictions()
        for position in 0..<min(mostOpenFrames, encoders.count) { encoders[position].frame.reset() }
        mostOpenFrames = 0
        for holder in holders { holder.reset() }
        holders = []
        options = RecordEncoder()
        return Self.pool.put(self)
    }

    /// Makes the encoders anew that this call has used.
    ///
    /// Before anything is released: the `deinit` of a user's object may know them by a weak reference.
    private func replaceEncoders() {
        for position in 0..<min(mostOpenFrames, encoders.count) {
            let encoder = ValueEncoder(replacing: encoders[position])
            encoders[position] = encoder
            stack[position] = OpenEncodingFrame(encoder)
        }
    }

    /// Ends the session: the levels hold it.
    func invalidate() {
        stack.removeAll(keeping: 0)
        // From the end: each frame holds its parent.
        while encoders.popLast() != nil {}
    }
}
