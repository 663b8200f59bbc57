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
        let targets: [String]?

        /// Whether records of a type may be decoded from its references; nil where that is not known.
        @inline(__always)
        func leads(to type: String) -> Bool? {
            // There are few, and mostly the bits are the same: a hash takes longer.
            targets?.contains { $0.hasSameBytes(as: type) }
        }
    }

    /// A type has several shapes where optional properties are left out.
    private static let mostShapes = 16

    private var shapes: [Shape] = []
    private var oldest = 0

    /// The number of the shape of the record that was looked at last.
    private var last = 0

    /// Whether it is known which fields are followed: decoding has met records of this type, or its properties show it.
    var isMet: Bool { shapes[last].isMet }

    /// The fields whose references are followed, of all fields where the type is not met, and whether the links in
    /// them are followed.
    var fields: [Field] { shapes[last].fields }

    /// Finds out which fields of a record are followed.
    @inline(__always)
    mutating func look(at record: ElementInPlace<Record>, _ planner: FetchPlanner) {
        if last < shapes.count, isOf(record, shapes[last]) { return }
        find(record, planner)
    }

    @inline(__always)
    private func isOf(_ record: ElementInPlace<Record>, _ shape: Shape) -> Bool {
        shape.names === record.value.fields.shape && shape.type.hasSameBytes(as: record.value.id.type)
    }

    @inline(never)
    private mutating func find(_ record: ElementInPlace<Record>, _ planner: FetchPlanner) {
        for number in shapes.indices where isOf(record, shapes[number]) {
            last = number
            return
        }
        planner.look(at: record.value.id)
        add(record.value.id.type, record.value.fields.shape, planner)
    }

    private mutating func add(_ type: String, _ names: FieldNames?, _ planner: FetchPlanner) {
        let known = planner.knowledge.types[type]
        let isMet = planner.knowledge.met.contains(type)
        let texts = names?.names ?? []
        let fields = texts.indices.filter { !isMet || planner.follows(texts[$0], of: type) }
            .map { position in
                Field(
                    position: position, followsLinks: known?.followsLinks(texts[position]) ?? false,
                    targets: (known?.targets[texts[position]]).map(Array.init))
            }
        let shape = Shape(type: type, names: names, isMet: isMet, fields: fields)
        if shapes.count < Self.mostShapes {
            last = shapes.count
            shapes.append(shape)
        } else {
            last = oldest
            shapes[oldest] = shape
            oldest = (oldest + 1) % Self.mostShapes
        }
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
