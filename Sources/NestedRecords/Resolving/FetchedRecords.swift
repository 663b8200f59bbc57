/// The records that were fetched for a value, and those to fetch next.
///
/// It is independent of the database: code that is generic over the database is not specialized, and slower.
struct FetchedRecords {
    let planner: FetchPlanner
    private let maximumDepth: Int
    private(set) var records: ContiguousArray<Record> = []
    private(set) var index = RecordIndex()
    private var origins: ContiguousArray<Origin> = []
    private(set) var pending = PendingRecords()
    private var collected = 0
    private var followed = FollowedFields()
    private var typeHashes = TypeHashes()
    private var seenTargets: [RecordField: Set<String>] = [:]
    private var someAreAbsent = false

    /// Types of records with references for which no record was decoded yet: decoding may show that they are not
    /// followed.
    var unknownTypes: Set<String> = []

    init(_ planner: FetchPlanner, maximumDepth: Int) {
        self.planner = planner
        self.maximumDepth = maximumDepth
    }

    func record(for id: Record.ID) -> Record? { index.position(of: id, in: records).map { records[$0] } }

    mutating func takePending() -> PendingRecords {
        defer { pending = PendingRecords() }
        return pending
    }
}

// MARK: Adding records

extension FetchedRecords {
    /// Adds the response to a request.
    ///
    /// - Throws: `RecordError.Code.invalidResponse` for a record that was not requested, or that occurs twice.
    mutating func add(_ answer: consuming [Record], to level: PendingRecords, _ range: Range<Int>) throws {
        let (found, isInOrder) = try match(answer, level, range)
        index.reserve(records.count + answer.count)
        // Records that are removed from the end are moved: copying them takes five retains and releases of each.
        if isInOrder { answer.reverseInPlace() }
        // In the order of the requests: the order of decoding and fetching must not depend on the database.
        for (position, place) in zip(range, found) {
            guard place >= 0 else {
                planner.absent.insert(level.ids[position])
                someAreAbsent = true
                continue
            }
            index.insert(level.hashes[position], at: records.count)
            records.append(isInOrder ? answer.removeLast() : answer[Int(place)])
            origins.append(level.origins[position])
        }
    }

    /// The place of each requested record in a response, -1 if it is missing, and whether the places are in order.
    ///
    /// Most responses are in the order of the requests, and need no look-up.
    private mutating func match(
        _ answer: borrowing [Record], _ level: PendingRecords, _ range: Range<Int>
    ) throws -> (places: ContiguousArray<Int32>, isInOrder: Bool) {
        var found = ContiguousArray<Int32>(repeating: -1, count: range.count)
        var isInOrder = true
        var next = range.lowerBound
        for place in 0..<answer.count {
            if next == range.upperBound || level.ids[next] != answer[place].id {
                let id = answer[place].id
                guard let position = level.position(of: id, hash: typeHashes.hash(of: id)), range.contains(position)
                else { throw RecordError.notAskedFor(id, context: self.place(level.origins[range.lowerBound])) }
                isInOrder = isInOrder && position >= next
                next = position
            }
            guard found[next - range.lowerBound] < 0 else {
                throw RecordError.givenTwice(level.ids[next], context: self.place(level.origins[next]))
            }
            found[next - range.lowerBound] = Int32(truncatingIfNeeded: place)
            next += 1
        }
        return (found, isInOrder)
    }

    func place(_ origin: Origin) -> RecordContext {
        guard origin.record >= 0 else { return RecordContext() }
        var origin = origin
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

extension FetchedRecords {
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
        // No record is added while references are collected, so all records stay at their addresses.
        let record = ElementsInPlace(records)[position]
        followed.look(at: record, planner)
        // The shape holds the fields until the next record.
        let fields = ElementsInPlace(followed.fields)
        if fields.count == 0 { return }
        // Decoding throws an error with the place for deeper records.
        let depth = origins[position].depth + 1
        let isTooDeep = depth > maximumDepth
        let isMet = followed.isMet
        let values = ElementsInPlace(record.value.fields.values)
        for number in 0..<fields.count {
            let field = fields[number].value
            guard values[field.position].value.mayHoldReferences,
                isTooDeep || !followed.isRepeated(values[field.position], inField: number)
            else { continue }
            let origin = Origin(
                record: Int32(truncatingIfNeeded: position), field: Int32(truncatingIfNeeded: field.position),
                depth: depth)
            // The references of a field usually have the same type, so most need no look-up.
            var lastType = ""
            values[field.position].value.visitReferences { reference in
                guard isMet else {
                    if !reference.isLink { unknownTypes.insert(records[position].id.type) }
                    return
                }
                guard !reference.isLink || field.followsLinks && !reference.id.isOfAssets, !isTooDeep else { return }
                if !lastType.hasSameBytes(as: reference.id.type) {
                    if let isFollowed = field.leads(to: reference.id.type) {
                        // Decoding throws an error for the others, or requests them.
                        guard isFollowed else { return }
                    } else {
                        note(target: reference.id.type, at: position, field.position)
                    }
                    lastType = reference.id.type
                }
                insert(reference.id, origin)
            }
        }
    }

    private mutating func note(target type: String, at position: Int, _ field: Int) {
        let record = records[position]
        let field = RecordField(type: record.id.type, name: record.fields.names[field])
        seenTargets[field, default: []].insert(type)
    }

    func learnTargets(_ call: DecodingCall) {
        if seenTargets.isEmpty { return }
        let isReached = call.isReached
        let reached = Set(records.indices.lazy.filter(isReached).map { records[$0].id.type })
        for (field, types) in seenTargets {
            let targets = types.intersection(reached)
            if !targets.isEmpty { planner.learn(targets: targets, in: field) }
        }
    }

    func learnUnfollowed(_ call: DecodingCall) {
        let isReached = call.isReached
        guard !pending.isEmpty || !(0..<records.count).allSatisfy(isReached) else { return }
        var isFollowed: [RecordField: Bool] = [:]
        for record in records {
            for (name, value) in record.fields
            where value.mayHoldReferences && planner.follows(name, of: record.id.type) {
                let field = RecordField(type: record.id.type, name: name)
                value.visitReferences { reference in
                    guard !reference.isLink, isFollowed[field] != true,
                        planner.mayFollow(reference.id.type, in: name, of: record.id.type)
                    else { return }
                    let position = index.position(of: reference.id, in: records)
                    isFollowed[field] =
                        position.map(isReached) ?? planner.absent.contains(reference.id)
                }
            }
        }
        for (field, isFollowed) in isFollowed where !isFollowed { planner.learnUnfollowed(field.name, of: field.type) }
    }

    mutating func insertRoot(_ id: Record.ID) { insert(id, Origin()) }

    /// Adds a record that decoding has reached, perhaps on another path than the one on which its owner was fetched.
    mutating func insertWanted(_ id: Record.ID, _ place: RecordContext) {
        let record = place.record.flatMap { index.position(of: $0, in: records) }
        let field = place.field.flatMap { name in record.flatMap { records[$0].fields.position(of: name) } }
        let origin = Origin(
            record: record.map { Int32(truncatingIfNeeded: $0) } ?? -1, field: field.map { Int32($0) } ?? -1,
            depth: Int32(truncatingIfNeeded: place.chain.count + 1))
        insert(id, origin)
    }

    private mutating func insert(_ id: Record.ID, _ origin: Origin) {
        let hash = typeHashes.hash(of: id)
        let known = ElementsInPlace(records)
        guard index.find(hash, where: { known[$0].value.id == id }) == nil,
            !someAreAbsent || !planner.absent.contains(id)
        else { return }
        pending.insert(id, hash: hash, origin)
    }
}
