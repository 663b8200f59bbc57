/// The fields of the last record whose references are followed.
///
/// The records of a level usually have few types and shapes, so one look-up of the plan serves many of them. The result
/// is valid until new information is added to the plan.
struct FollowedFields {
    private struct Shape {
        let type: String
        let names: FieldNames?
        let isMet: Bool
        let fields: [Field]

        /// The last reference in each field that was not in a list or a map.
        var latest: [Record.Reference?]
    }

    struct Field {
        let position: Int
        let followsLinks: Bool

        /// The types of the records that may be decoded from its references; nil if unknown.
        let targets: [String]?

        /// Whether records of a type may be decoded from its references; nil if unknown.
        @inline(__always)
        func leads(to type: String) -> Bool? {
            // There are few types, and usually the bytes are equal: a hash takes longer.
            targets?.contains { $0.hasSameBytes(as: type) }
        }
    }

    /// A type has several shapes if optional properties are left out.
    private static let mostShapes = 16

    private var shapes: [Shape] = []
    private var oldest = 0
    private var last = 0

    /// The shape before it: records with and without an optional property alternate.
    private var previous = 0

    var isMet: Bool { shapes[last].isMet }

    /// The fields whose references are followed (all fields if they are not certain), and whether the links in them are
    /// followed.
    var fields: [Field] { shapes[last].fields }

    @inline(__always)
    mutating func look(at record: ElementInPlace<Record>, _ planner: FetchPlanner) {
        if last < shapes.count {
            if isOf(record, shapes[last]) { return }
            swap(&last, &previous)
            if isOf(record, shapes[last]) { return }
        }
        find(record, planner)
    }

    @inline(__always)
    private func isOf(_ record: ElementInPlace<Record>, _ shape: Shape) -> Bool {
        shape.names === record.value.fields.shape && shape.type.hasSameBytes(as: record.value.id.type)
    }

    /// Whether a field of the last record is the same reference as in the record before it.
    ///
    /// Many records of a list have one genre, one owner or one day: two look-ups for each would find what they found.
    @inline(__always)
    mutating func isRepeated(_ value: ElementInPlace<Record.Value>, inField number: Int) -> Bool {
        guard case .reference(let reference) = value.value else { return false }
        if shapes[last].latest[number] == reference { return true }
        shapes[last].latest[number] = reference
        return false
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
        let latest = [Record.Reference?](repeating: nil, count: fields.count)
        let shape = Shape(type: type, names: names, isMet: isMet, fields: fields, latest: latest)
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

/// The hashes of IDs, reusing the hash of the previous type, which usually is the same.
struct TypeHashes {
    private var type = ""
    private var typeHash = RecordIndex.hash(ofType: "")

    @inline(__always)
    mutating func hash(of id: Record.ID) -> UInt64 {
        if type != id.type {
            type = id.type
            typeHash = RecordIndex.hash(ofType: type)
        }
        return RecordIndex.hash(ofType: typeHash, name: id.name)
    }
}
