/// Fetches the records that a value needs, level by level, and decodes it.
struct ReferenceResolver<Database: RecordDatabase> {
    let options: RecordDecoder
    let database: Database
    let planner: FetchPlanner

    var records: ContiguousArray<Record> = []
    var index = RecordIndex()

    /// For each record the reference that led to it.
    var origins: ContiguousArray<Origin> = []

    /// The records to fetch next.
    var pending = PendingRecords()

    /// The number of records whose references were looked at.
    var collected = 0

    /// What was found out about the records that were looked at last.
    var followed = FollowedFields()
    var typeHashes = TypeHashes()

    /// Types of records with references that decoding has not met yet: it may show that they are not followed.
    var unknownTypes: Set<String> = []

    private var calls = 0
    private var levels = 0
    private var passes = 0

    init(options: RecordDecoder, database: Database, knowledge: FetchPlan) {
        self.options = options
        self.database = database
        planner = FetchPlanner(knowledge: knowledge)
    }

    mutating func resolve<Root: RecordDecodable>(
        _ type: Root.Type, roots: [Record.ID]
    ) async throws -> RecordDecoder.Resolution<[Root]> {
        for id in roots { pending.insert(id, hash: typeHashes.hash(of: id), Origin()) }
        if !roots.isEmpty { try await fetchPending() }
        if let root = roots.first(where: planner.absent.contains) { throw RecordError.recordNotFound(root) }
        var didTry = false
        while true {
            collectReferences()
            // While a type is unknown, trying to decode may find more records to fetch in the same call.
            if !pending.isEmpty, unknownTypes.isEmpty || didTry {
                try await fetchPending()
                didTry = false
                continue
            }
            if let resolution = try attempt(type, roots: roots) { return resolution }
            didTry = true
            planner.note(met: unknownTypes)
            unknownTypes = []
            for (id, place) in planner.wanted { insertWanted(id, place) }
            if pending.isEmpty { throw RecordError.recordNotFound(planner.wanted[0].id) }
            try Task.checkCancellation()
        }
    }

    /// Tries to decode from the records that were fetched; nil where more are needed.
    private mutating func attempt<Root: RecordDecodable>(
        _ type: Root.Type, roots: [Record.ID]
    ) throws -> RecordDecoder.Resolution<[Root]>? {
        passes += 1
        planner.wanted = []
        return try DecodingSession.run(options: options, records: records, index: index, planner: planner) { session in
            let result = Result { try session.decode(type, roots: roots) }
            guard planner.wanted.isEmpty else { return nil }
            let value = try result.get()
            // What was learned last has not been looked at; nothing of it is needed any more.
            collectReferences()
            learnUnfollowed(session)
            return RecordDecoder.Resolution(
                value: value, dropped: session.dropped, callCount: calls, levelCount: levels,
                recordCount: records.count, passCount: passes,
                source: ResolvedRecords(roots: roots, records: records, index: index))
        }
    }
}

// MARK: Fetching

extension ReferenceResolver {
    private mutating func fetchPending() async throws {
        let level = pending
        pending = PendingRecords()
        let room = options.maximumRecords - records.count
        if level.ids.count > room {
            throw RecordError.recordLimitExceeded(options.maximumRecords, context: place(level.origins[max(0, room)]))
        }
        levels += 1
        let size = max(1, min(database.batchLimit, level.ids.count))
        for start in stride(from: 0, to: level.ids.count, by: size) {
            try await fetch(level, start..<min(start + size, level.ids.count))
        }
    }

    private mutating func fetch(_ level: PendingRecords, _ range: Range<Int>) async throws {
        try Task.checkCancellation()
        calls += 1
        let ids = range.count == level.ids.count ? level.ids : Array(level.ids[range])
        let origin = level.origins[range.lowerBound]
        let answer: [Record]
        do {
            answer = try await database.records(for: ids)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw RecordError.fetchFailed(ids, context: place(origin), underlyingError: error)
        }
        let found = try match(answer, with: level, range)
        // In the order of the requests: what is decoded and fetched next must not depend on the database.
        for (position, place) in zip(range, found) {
            guard place >= 0 else {
                planner.absent.insert(level.ids[position])
                continue
            }
            index.insert(level.hashes[position], at: records.count)
            records.append(answer[Int(place)])
            origins.append(level.origins[position])
        }
    }

    /// The place of each requested record in an answer, -1 where it is missing.
    ///
    /// Most answers are in the order of the requests, and need no look-up.
    private mutating func match(
        _ answer: [Record], with level: PendingRecords, _ range: Range<Int>
    ) throws -> ContiguousArray<Int32> {
        var found = ContiguousArray<Int32>(repeating: -1, count: range.count)
        var next = range.lowerBound
        for (place, record) in answer.enumerated() {
            if next == range.upperBound || level.ids[next] != record.id {
                let hash = typeHashes.hash(of: record.id)
                guard let position = level.position(of: record.id, hash: hash), range.contains(position) else {
                    throw RecordError.notAskedFor(record.id, context: self.place(level.origins[range.lowerBound]))
                }
                next = position
            }
            guard found[next - range.lowerBound] < 0 else {
                throw RecordError.givenTwice(record.id, context: self.place(level.origins[next]))
            }
            found[next - range.lowerBound] = Int32(truncatingIfNeeded: place)
            next += 1
        }
        return found
    }

    /// The way from a root to the reference that led to a record.
    private func place(_ origin: Origin?) -> RecordContext {
        guard var origin, origin.record >= 0 else { return RecordContext() }
        var steps: [RecordContext.Step] = []
        while origin.record >= 0 {
            let record = records[Int(origin.record)]
            let name = origin.field < 0 ? "" : record.fields.names[Int(origin.field)]
            steps.append(RecordContext.Step(record: record.id, path: name))
            origin = origins[Int(origin.record)]
        }
        return RecordContext(
            record: steps[0].record, field: steps[0].path,
            codingPath: steps.reversed().map { PathKey(stringValue: $0.path) }, chain: steps.reversed())
    }
}

// MARK: Following references

extension ReferenceResolver {
    /// Looks at the records that are new, or of a type about which something was learned.
    mutating func collectReferences() {
        let changed = planner.changedTypes
        planner.changedTypes = []
        followed = FollowedFields()
        if !changed.isEmpty {
            for position in 0..<collected where changed.contains(records[position].id.type) {
                collectReferences(of: position)
            }
        }
        for position in collected..<records.count { collectReferences(of: position) }
        collected = records.count
    }

    private mutating func collectReferences(of position: Int) {
        followed.look(at: records[position], planner)
        let isMet = followed.isMet
        for field in followed.positions where records[position].fields.values[field].mayHoldReferences {
            let followsLinks = followed.followsLinks[field]
            let origin = Origin(record: Int32(truncatingIfNeeded: position), field: Int32(truncatingIfNeeded: field))
            records[position].fields.values[field].visitReferences { reference in
                if isMet {
                    if followsLinks || !reference.isLink { insert(reference.id, origin) }
                } else if !reference.isLink {
                    unknownTypes.insert(records[position].id.type)
                }
            }
        }
    }

    /// Notes the fields through which nothing was decoded, although the type has keys for them.
    func learnUnfollowed(_ session: DecodingSession) {
        func isReached(_ position: Int) -> Bool { session.visits[position].isReached }
        guard !pending.isEmpty || !(0..<records.count).allSatisfy(isReached) else { return }
        var isFollowed: [RecordField: Bool] = [:]
        for record in records {
            for (name, value) in record.fields
            where value.mayHoldReferences && planner.follows(name, of: record.id.type) {
                let field = RecordField(type: record.id.type, name: name)
                value.visitReferences { reference in
                    guard !reference.isLink, isFollowed[field] != true else { return }
                    let position = index.position(of: reference.id, in: records)
                    isFollowed[field] =
                        position.map(isReached) ?? planner.absent.contains(reference.id)
                }
            }
        }
        for (field, isFollowed) in isFollowed where !isFollowed { planner.learnUnfollowed(field.name, of: field.type) }
    }

    private mutating func insert(_ id: Record.ID, _ origin: Origin) {
        // Decoding rejects what is deeper, and says where.
        let depth = origin.record < 0 ? 1 : origins[Int(origin.record)].depth + 1
        if depth <= options.maximumDepth { insertPending(id, origin, depth: depth) }
    }

    private mutating func insertPending(_ id: Record.ID, _ origin: Origin, depth: Int32) {
        let hash = typeHashes.hash(of: id)
        guard index.find(hash, where: { records[$0].id == id }) == nil,
            planner.absent.isEmpty || !planner.absent.contains(id)
        else { return }
        var origin = origin
        origin.depth = depth
        pending.insert(id, hash: hash, origin)
    }

    /// Adds a record that decoding has reached, on another path perhaps than the one on which its owner was fetched.
    mutating func insertWanted(_ id: Record.ID, _ place: RecordContext) {
        let record = place.record.flatMap { index.position(of: $0, in: records) }
        let field = place.field.flatMap { name in record.flatMap { records[$0].fields.position(of: name) } }
        let origin = Origin(
            record: record.map { Int32(truncatingIfNeeded: $0) } ?? -1, field: field.map { Int32($0) } ?? -1)
        insertPending(id, origin, depth: Int32(truncatingIfNeeded: place.chain.count + 1))
    }
}
