extension DecodingSession {
    private static let pool = SessionPool<DecodingSession>()

    /// Runs one attempt to decode.
    ///
    /// - Parameters:
    ///   - records: The records that are there, with their index.
    ///   - planner: What plans further fetches.
    ///   - body: Decodes, and takes what it needs from the session: afterwards it belongs to another attempt.
    static func run<Result>(
        options: RecordDecoder, records: ContiguousArray<Record>, index: RecordIndex, planner: FetchPlanner? = nil,
        _ body: (DecodingSession) throws -> Result
    ) throws -> Result {
        // What is known about types depends on these.
        let mayWait = !options.keyStrategy.renames && options.embeddingStrategy == .map
        let session = (mayWait ? pool.take() : nil) ?? DecodingSession(options: options)
        session.begin(options, records, index, planner)
        var hasEnded = false
        defer { if !mayWait || !hasEnded || !session.recycle() { session.invalidate() } }
        let result = try body(session)
        try session.checkPropertyNames()
        hasEnded = true
        return result
    }

    private func begin(
        _ options: RecordDecoder, _ records: ContiguousArray<Record>, _ index: RecordIndex, _ planner: FetchPlanner?
    ) {
        self.options = options
        self.records = records
        self.index = index
        self.planner = planner
        omitsDangling = options.danglingReferencePolicy == .omit
        visits.append(RecordVisit(), count: records.count)
        attempt += 1
    }

    /// Waits for another attempt, without anything that belongs to this one.
    ///
    /// - Returns: Whether the session waits now; if not it is of no more use.
    private func recycle() -> Bool {
        guard !mayBeHeld, openFrames == 0, stack.count <= SessionLimits.levels,
            typeDecoders.count <= SessionLimits.types, slotTables.count <= SessionLimits.slotTables
        else { return false }
        replaceDecoders()
        options = RecordDecoder()
        records = []
        index = .empty
        planner = nil
        visits.removeAll(keeping: SessionLimits.records)
        instances.removeAll(keeping: SessionLimits.records)
        slotTables.forgetPositions()
        lastDecoderNumber = 0
        for position in 0..<min(mostOpenFrames, decoders.count) { decoders[position].frame.reset() }
        mostOpenFrames = 0
        for holder in holders { holder.reset() }
        holders = []
        placedDescriptions = []
        dependedDepth = .max
        droppedSteps = []
        dropped = []
        return Self.pool.put(self)
    }

    /// Makes the decoders anew that this attempt has used.
    ///
    /// Before anything is released: the `deinit` of a user's object may know them by a weak reference.
    private func replaceDecoders() {
        for position in 0..<min(mostOpenFrames, decoders.count) {
            let decoder = ValueDecoder(replacing: decoders[position])
            decoders[position] = decoder
            stack[position] = OpenDecodingFrame(decoder)
        }
    }

    /// Ends the session: the levels hold it.
    private func invalidate() {
        isOver = true
        stack.removeAll(keeping: 0)
        // From the end: each frame holds its parent.
        while decoders.popLast() != nil {}
    }
}
