struct ReferenceResolver<Database: RecordDatabase> {
    let options: RecordCoding
    let database: Database
    let planner: FetchPlanner
    private var fetched: FetchedRecords
    private var calls = 0
    private var levels = 0
    private var passes = 0
    private var hasFailed = false

    init(options: RecordCoding, database: Database, _ planner: FetchPlanner) {
        (self.options, self.database, self.planner) = (options, database, planner)
        fetched = FetchedRecords(planner, maximumDepth: options.maximumDepth)
    }

    mutating func resolve<Value>(
        roots: [Record.ID], known: [Record]?, decode: (DecodingCall) throws -> Value
    ) async throws -> RecordDecoder.Resolution<Value> {
        for id in roots { fetched.insertRoot(id) }
        if let known {
            let level = try takePending()
            try fetched.add(known, to: level, 0..<level.ids.count)
        } else if !roots.isEmpty {
            try await fetchPending()
        }
        if let missing = roots.first(where: planner.absent.contains) {
            throw RecordError(.recordNotFound, recordID: missing)
        }
        var didTry = false
        while true {
            fetched.collectReferences()
            // While a type is unknown, an attempt to decode may find more records to fetch in the same call.
            if !fetched.pending.isEmpty, fetched.unknownTypes.isEmpty || didTry {
                do {
                    try await fetchPending()
                } catch  where !didTry && isNotAnAnswer(error) {
                    // The type may not need the records that were to be fetched in advance.
                    guard let resolution = try? attempt(roots: roots, decode) else { throw error }
                    return resolution
                }
                didTry = false
                continue
            }
            if let resolution = try attempt(roots: roots, decode) { return resolution }
            didTry = true
            planner.note(met: fetched.unknownTypes)
            fetched.unknownTypes = []
            for (id, place) in planner.wanted { fetched.insertWanted(id, place) }
            if fetched.pending.isEmpty { throw RecordError(.recordNotFound, recordID: planner.wanted[0].id) }
            try Task.checkCancellation()
        }
    }

    /// Tries to decode from the fetched records; nil if more records are needed.
    private mutating func attempt<Value>(
        roots: [Record.ID], _ decode: (DecodingCall) throws -> Value
    ) throws -> RecordDecoder.Resolution<Value>? {
        passes += 1
        planner.wanted = []
        let (records, index) = (fetched.records, fetched.index)
        return try DecodingCall.run(options: options, records: records, index: index, planner: planner) { call in
            let result = Result { try decode(call) }
            guard planner.wanted.isEmpty else { return nil }
            let value = try result.get()
            // A type may have caught the error of a cancelled task, and left something out.
            try Task.checkCancellation()
            // The last new information was not used yet; it requires no more records.
            fetched.collectReferences()
            fetched.learnUnfollowed(call)
            fetched.learnTargets(call)
            return RecordDecoder.Resolution(
                value: value, dropped: call.dropped, callCount: calls, levelCount: levels,
                recordCount: records.count, passCount: passes,
                source: ResolvedRecords(of: call, roots: roots, records: records, index: index))
        }
    }
}

// MARK: Fetching

extension ReferenceResolver {
    /// Takes the records of the next level; throws an error if they are too many.
    private mutating func takePending() throws -> PendingRecords {
        let level = fetched.takePending()
        let room = max(0, options.maximumRecords) - fetched.records.count
        if level.ids.count > room {
            let place = fetched.place(level.origins[max(0, room)])
            throw RecordError.recordLimitExceeded(options.maximumRecords, context: place)
        }
        return level
    }

    /// Whether the records of a level were not fetched: they are too many, or the database has thrown an error.
    private func isNotAnAnswer(_ error: any Error) -> Bool {
        if case RecordError.Code.recordLimitExceeded = error { return true }
        return hasFailed
    }

    private mutating func fetchPending() async throws {
        let level = try takePending()
        levels += 1
        let size = max(1, min(database.limits.batchCount, level.ids.count))
        for start in stride(from: 0, to: level.ids.count, by: size) {
            try await fetch(level, start..<min(start + size, level.ids.count))
        }
    }

    private mutating func fetch(_ level: PendingRecords, _ range: Range<Int>) async throws {
        try Task.checkCancellation()
        calls += 1
        let ids = range.count == level.ids.count ? level.ids : Array(level.ids[range])
        let answer: [Record]
        do {
            answer = try await database.records(for: ids)
        } catch RecordError.Code.recordNotFound {
            // If it were rethrown, it would report a missing root.
            let reason = "it threw an error for a missing record instead of leaving it out"
            throw RecordError(
                .invalidResponse, reason: reason, context: fetched.place(level.origins[range.lowerBound]))
        } catch {
            hasFailed = !(error is CancellationError)
            throw error
        }
        // Its records are moved only if no other owner holds them.
        try fetched.add(consume answer, to: level, range)
    }
}
