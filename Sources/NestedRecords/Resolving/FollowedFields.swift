/// Which fields of the record that was looked at last are followed.
///
/// The records of a level mostly are of few types and shapes, so the plan is looked up once for many of them. It holds
/// until something new is learned.
struct FollowedFields {
    /// What was found out about the records of one type and one shape.
    private struct Shape {
        let type: String
        let names: FieldNames?
        let isMet: Bool
        let fields: [Field]
    }

    /// A field whose references are followed.
    struct Field {
        let position: Int
        let followsLinks: Bool

        /// The types of the records that may be decoded from its references; nil where that is not known.
        let targets: Set<String>?
    }

    /// A type has several shapes where optional properties are left out.
    private static let mostShapes = 16

    private var shapes: [Shape] = []
    private var oldest = 0
    private var type: String?
    private var names: FieldNames?

    /// Whether decoding has met records of this type: only then is it known which fields hold nothing but links.
    private(set) var isMet = false

    /// The fields whose references are followed, of all fields where the type is not met, and whether the links in
    /// them are followed.
    private(set) var fields: [Field] = []

    /// Finds out which fields of a record are followed.
    @inline(__always)
    mutating func look(at record: Record, _ planner: FetchPlanner) {
        if let type, names === record.fields.shape, type == record.id.type { return }
        find(record, planner)
    }

    @inline(never)
    private mutating func find(_ record: Record, _ planner: FetchPlanner) {
        let (type, names) = (record.id.type, record.fields.shape)
        let shape = shapes.first { $0.names === names && $0.type == type } ?? add(type, names, planner)
        (self.type, self.names, isMet, fields) = (type, names, shape.isMet, shape.fields)
    }

    private mutating func add(_ type: String, _ names: FieldNames?, _ planner: FetchPlanner) -> Shape {
        let known = planner.knowledge.types[type]
        let isMet = planner.knowledge.met.contains(type)
        let texts = names?.names ?? []
        let fields = texts.indices.filter { !isMet || planner.follows(texts[$0], of: type) }
            .map { position in
                Field(
                    position: position, followsLinks: known?.followsLinks(texts[position]) ?? false,
                    targets: known?.targets[texts[position]])
            }
        let shape = Shape(type: type, names: names, isMet: isMet, fields: fields)
        if shapes.count < Self.mostShapes {
            shapes.append(shape)
        } else {
            shapes[oldest] = shape
            oldest = (oldest + 1) % Self.mostShapes
        }
        return shape
    }
}

/// The hashes of IDs, with that of their type mostly being the one of the ID before.
struct TypeHashes {
    private var type = ""
    private var typeHash = RecordIndex.hash(ofType: "")

    /// The hash for a ``RecordIndex``.
    @inline(__always)
    mutating func hash(of id: Record.ID) -> UInt64 {
        if type != id.type {
            type = id.type
            typeHash = RecordIndex.hash(ofType: type)
        }
        return RecordIndex.hash(ofType: typeHash, name: id.name)
    }
}
