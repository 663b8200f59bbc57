/// Which fields of the record that was looked at last are followed.
///
/// The records of a level mostly are of one type and one shape, so the plan is looked up once for many of them. It
/// holds until something new is learned.
struct FollowedFields {
    private var type: String?
    private var shape: FieldNames?

    /// Whether decoding has met records of this type: only then is it known which fields hold nothing but links.
    private(set) var isMet = false

    /// The positions of the fields whose references are followed, of all fields where the type is not met.
    private(set) var positions: [Int] = []

    /// For each field whether the links in it are followed.
    private(set) var followsLinks: [Bool] = []

    /// Finds out which fields of a record are followed.
    @inline(__always)
    mutating func look(at record: Record, _ planner: FetchPlanner) {
        if let type, type == record.id.type, shape === record.fields.shape { return }
        find(record, planner)
    }

    @inline(never)
    private mutating func find(_ record: Record, _ planner: FetchPlanner) {
        let known = planner.knowledge.types[record.id.type]
        type = record.id.type
        shape = record.fields.shape
        let names = record.fields.names
        isMet = planner.knowledge.met.contains(record.id.type)
        followsLinks = names.map { known?.followsLinks($0) ?? false }
        positions = names.indices.filter { !isMet || planner.follows(names[$0], of: record.id.type) }
    }
}

/// The hashes of IDs, with that of their type mostly being the one of the ID before.
struct TypeHashes {
    private var type = ""
    private var typeHash = RecordIndex.hash(ofType: "")

    /// The hash for a ``RecordIndex``.
    mutating func hash(of id: Record.ID) -> UInt64 {
        if type != id.type {
            type = id.type
            typeHash = RecordIndex.hash(ofType: type)
        }
        return RecordIndex.hash(ofType: typeHash, name: id.name)
    }
}
