/// Fetches the records that a value needs, level by level, and decodes it.
struct ReferenceResolver<Database: RecordDatabase> {
    let options: RecordDecoder
    let database: Database
    let learner: ReferenceLearner

    private var records: ContiguousArray<Record> = []
    private var index = RecordIndex()

    /// For each record the reference that led to it.
    private var origins: ContiguousArray<Origin> = []

    /// The records to fetch next.
    private var pending = PendingRecords()

    /// The number of records whose references were looked at.
    private var collected = 0

    /// Types of records with references of which it is not known yet whether they are followed.
    private var unknownTypes: Set<String> = []

    private var calls = 0
    private var levels = 0
    private var passes = 0

    init(options: RecordDecoder, database: Database, knowledge: FollowedReferences) {
        self.options = options
        self.database = database
        learner = ReferenceLearner(knowledge: knowledge)
    }

    mutating func resolve<Root: RecordDecodable>(
        _ type: Root.Type, roots: [Record.ID]
    ) async throws -> Resolution<[Root]> {
        for id in roots { pending.insert(id, Origin()) }
        if !roots.isEmpty { try await fetchPending() }
        if let root = roots.first(where: learner.absent.contains) { throw RecordError.recordNotFound(root) }
        var didTry = false
        while true {
            collectReferences()
            // While a type is unknown, trying to decode may tell more records to fetch in the same call.
            if !pending.isEmpty, unknownTypes.isEmpty || didTry {
                try await fetchPending()
                didTry = false
                continue
            }
            let session = DecodingSession(options: options, records: records, index: index, learner: learner)
            passes += 1
            learner.wanted = []
            let result = Result { try session.decode(type, roots: roots) }
            if learner.wanted.isEmpty {
                return Resolution(
                    value: try result.get(), dropped: session.dropped, calls: calls, levels: levels,
                    records: records.count, passes: passes)
            }
            didTry = true
            for (id, place) in learner.wanted { insertWanted(id, place) }
        }
    }
}

/// The reference that led to a record: the position of the record that holds it, and that of the field.
struct Origin {
    var record: Int32 = -1
    var field: Int32 = 0

    /// How many records there are from the root to the one that it led to.
    var depth: Int32 = 1
}

/// Records to fetch, each once, in the order in which they were met.
private struct PendingRecords {
    private(set) var ids: ContiguousArray<Record.ID> = []
    private(set) var origins: ContiguousArray<Origin> = []
    private var index = RecordIndex()

    var isEmpty: Bool { ids.isEmpty }

    mutating func insert(_ id: Record.ID, _ origin: Origin) {
        let hash = RecordIndex.hash(of: id)
        guard index.find(hash, where: { ids[$0] == id }) == nil else { return }
        index.insert(hash, at: ids.count)
        ids.append(id)
        origins.append(origin)
    }
}

// MARK: Fetching

extension ReferenceResolver {
    private mutating func fetchPending() async throws {
        let level = pending
        pending = PendingRecords()
        let room = options.maximumRecords - records.count
        if level.ids.count > room {
            throw RecordError.recordLimitExceeded(options.maximumRecords, place: place(level.origins[max(0, room)]))
        }
        levels += 1
        let size = max(1, min(database.batchLimit, level.ids.count))
        for start in stride(from: 0, to: level.ids.count, by: size) {
            let range = start..<min(start + size, level.ids.count)
            try await fetch(Array(level.ids[range]), level.origins[range])
        }
    }

    private mutating func fetch(_ ids: [Record.ID], _ origins: ArraySlice<Origin>) async throws {
        try Task.checkCancellation()
        calls += 1
        let answer: [Record.ID: Record]
        do {
            answer = try await database.records(for: ids)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw RecordError.fetchFailed(ids, place: place(origins.first), underlyingError: error)
        }
        var count = 0
        for (id, origin) in zip(ids, origins) {
            guard let record = answer[id] else {
                learner.absent.insert(id)
                continue
            }
            guard record.id == id else {
                let reason = "for \(id) it gave the record \(record.id)"
                throw RecordError.invalidResponse(reason, place: place(origin))
            }
            count += 1
            index.insert(RecordIndex.hash(of: id), at: records.count)
            records.append(record)
            self.origins.append(origin)
        }
        if count < answer.count, let id = Set(answer.keys).subtracting(ids).min() {
            throw RecordError.invalidResponse("it gave \(id), which it was not asked for", place: place(origins.first))
        }
    }

    /// The way from a root to the reference that led to a record.
    private func place(_ origin: Origin?) -> RecordPlace {
        guard var origin, origin.record >= 0 else { return RecordPlace() }
        var steps: [RecordPlace.Step] = []
        while origin.record >= 0 {
            let record = records[Int(origin.record)]
            steps.append(RecordPlace.Step(record: record.id, path: record.fields.names[Int(origin.field)]))
            origin = origins[Int(origin.record)]
        }
        return RecordPlace(
            record: steps[0].record, field: steps[0].path,
            codingPath: steps.reversed().map { PathKey(stringValue: $0.path) }, chain: steps.reversed())
    }
}

// MARK: Following references

extension ReferenceResolver {
    /// Looks at the records that are new, or of a type about which something was learnt.
    private mutating func collectReferences() {
        let changed = learner.changedTypes
        learner.changedTypes = []
        unknownTypes.subtract(changed)
        if !changed.isEmpty {
            for position in 0..<collected where changed.contains(records[position].id.type) {
                collectReferences(of: position)
            }
        }
        for position in collected..<records.count { collectReferences(of: position) }
        collected = records.count
    }

    private mutating func collectReferences(of position: Int) {
        let record = records[position]
        let known = learner.knowledge.types[record.id.type]
        for (field, value) in record.fields.values.enumerated() {
            switch value {
            case .reference, .list, .map: break
            case .null, .bool, .int, .double, .string, .date, .bytes, .location: continue
            }
            let name = record.fields.names[field]
            let follows = known?.follows(name) ?? false
            let followsLinks = known?.followsLinks(name) ?? false
            value.visitReferences { reference in
                if known == nil, !reference.isLink { unknownTypes.insert(record.id.type) }
                guard follows, followsLinks || !reference.isLink else { return }
                insert(reference.id, Origin(record: Int32(truncatingIfNeeded: position), field: Int32(field)))
            }
        }
    }

    private mutating func insert(_ id: Record.ID, _ origin: Origin) {
        guard index.position(of: id, in: records) == nil, !learner.absent.contains(id) else { return }
        var origin = origin
        origin.depth = origin.record < 0 ? 1 : origins[Int(origin.record)].depth + 1
        // Decoding refuses what is deeper, and tells where.
        if origin.depth <= options.maximumDepth { pending.insert(id, origin) }
    }

    private mutating func insertWanted(_ id: Record.ID, _ place: RecordPlace) {
        let record = place.record.flatMap { index.position(of: $0, in: records) }
        let field = place.field.flatMap { name in
            record.flatMap { records[$0].fields.position(of: name) }
        }
        insert(id, Origin(record: record.map { Int32(truncatingIfNeeded: $0) } ?? -1, field: Int32(field ?? 0)))
    }
}
