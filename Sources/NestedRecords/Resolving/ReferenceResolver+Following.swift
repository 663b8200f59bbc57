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
