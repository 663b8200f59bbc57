import NestedRecords

/// Builds a picture from a stream of records: of the records if there are few, else of their types.
struct RecordPicture: RecordCollector {
    /// The maximum number of boxes in a picture of records.
    static let mostBoxes = 200

    /// The maximum number of fields in a box, and the columns of each.
    private static let keyTexts = 2
    private static let textWidth = 28

    private var nodes: [Picture.Node] = []
    private var edges: [Picture.Edge] = []
    private var records: [Record.ID: Record] = [:]
    private var summary = PictureSummary()

    /// The records and the targets of their references, existing or missing.
    private var drawn: Set<Record.ID> = []

    /// Whether the picture shows types.
    private(set) var isSummary: Bool

    /// The number of added records.
    private(set) var count = 0

    /// Begins a picture.
    ///
    /// - Parameter isSummary: Whether to draw types also if there are few records.
    init(isSummary: Bool) {
        self.isSummary = isSummary
    }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - record: The record. A picture of records ignores a repeated record; a picture of types counts it again.
    ///   - isDrawn: Whether to draw a reference to this record.
    /// - Throws: ``RepeatedRecord`` for a record that was added before with other content.
    mutating func add(_ record: Record, where isDrawn: (Record.ID) -> Bool) throws {
        if let known = records[record.id] {
            guard try known.isSame(as: record) else { throw RepeatedRecord(id: record.id) }
            return
        }
        count += 1
        summary.add(recordOf: record.id.type)
        if !isSummary {
            records[record.id] = record
            drawn.insert(record.id)
            nodes.append(
                Picture.Node(
                    id: record.id.description, title: record.id.description,
                    lines: record.keyTexts(atMost: Self.keyTexts, width: Self.textWidth), type: record.id.type))
        }
        var known: Set<Arrow> = []
        for placed in record.placedReferences where isDrawn(placed.reference.id) {
            let (field, id, kind) = (placed.field, placed.reference.id, Picture.Edge.Kind(placed.reference))
            summary.add(referenceFrom: record.id.type, field, to: id.type, kind)
            guard !isSummary, known.insert(Arrow(field: field, target: id, kind: kind)).inserted else { continue }
            drawn.insert(id)
            edges.append(Picture.Edge(from: record.id.description, to: id.description, label: field, kind: kind))
        }
        if nodes.count > Self.mostBoxes { becomeSummary() }
    }

    private struct Arrow: Hashable {
        let field: String
        let target: Record.ID
        let kind: Picture.Edge.Kind
    }

    /// The picture of all added records.
    mutating func finish() -> Picture {
        if drawn.count > Self.mostBoxes { becomeSummary() }
        return isSummary ? summary.picture : Picture(nodes: nodes, edges: edges)
    }

    private mutating func becomeSummary() {
        isSummary = true
        (nodes, edges, records, drawn) = ([], [], [:], [])
    }
}

extension Picture.Edge.Kind {
    /// The kind of arrow for a reference.
    init(_ reference: Record.Reference) {
        self = reference.action == .deleteSelf ? .deleteSelf : reference.isLink ? .link : .owning
    }
}
