import NestedRecords

/// Builds a picture from a stream of records: of the records if there are few, else of their types.
struct RecordPicture: RecordCollector {
    /// The maximum number of boxes in a picture of records.
    static let mostBoxes = 200

    /// The maximum number of fields in a box, and the columns of each.
    private static let keyTexts = 2
    private static let textWidth = 28

    private var boxes: [Box] = []
    private var places: [Record.ID: Int] = [:]
    private var summary = PictureSummary()

    /// The records and the targets of their references, existing or missing.
    private var drawn: Set<Record.ID> = []

    /// Whether the picture shows types.
    private(set) var isSummary: Bool

    /// The number of added records.
    private(set) var count = 0

    /// A record, and its arrows without duplicates.
    private struct Box {
        let record: Record
        var arrows: [Arrow] = []
    }

    private struct Arrow: Hashable {
        let field: String
        let reference: Record.Reference
    }

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
        if let box = places[record.id].map({ boxes[$0] }) {
            guard try box.record.isSame(as: record) else { throw RepeatedRecord(id: record.id) }
            return
        }
        count += 1
        summary.add(recordOf: record.id.type)
        var box = Box(record: record)
        var known: Set<Arrow> = []
        for placed in record.placedReferences where isDrawn(placed.reference.id) {
            let reference = placed.reference
            let kind = Picture.Edge.Kind(reference)
            summary.add(referenceFrom: record.id.type, placed.field, to: reference.id.type, kind)
            guard !isSummary else { continue }
            drawn.insert(reference.id)
            let arrow = Arrow(field: placed.field, reference: reference)
            if known.insert(arrow).inserted { box.arrows.append(arrow) }
        }
        guard !isSummary else { return }
        drawn.insert(record.id)
        places[record.id] = boxes.count
        boxes.append(box)
        if boxes.count > Self.mostBoxes { becomeSummary() }
    }

    /// The picture of all added records.
    mutating func finish() -> Picture {
        if drawn.count > Self.mostBoxes { becomeSummary() }
        return isSummary ? summary.picture : recordsPicture
    }

    private mutating func becomeSummary() {
        isSummary = true
        boxes = []
        places = [:]
        drawn = []
    }

    private var recordsPicture: Picture {
        // Boxes have numbers, since two IDs may be equal as strings and differ in their bytes.
        var numbers: [Record.ID: String] = [:]
        var nodes: [Picture.Node] = []
        for record in boxes.lazy.map(\.record) {
            numbers[record.id] = String(nodes.count)
            nodes.append(
                Picture.Node(
                    id: String(nodes.count), title: record.id.description,
                    lines: record.keyTexts(atMost: Self.keyTexts, width: Self.textWidth), type: record.id.type))
        }
        var edges: [Picture.Edge] = []
        for box in boxes {
            guard let from = numbers[box.record.id] else { continue }
            for arrow in box.arrows {
                let target = arrow.reference.id
                let to = numbers[target] ?? String(nodes.count)
                if numbers[target] == nil {
                    numbers[target] = to
                    nodes.append(Picture.Node(id: to, title: target.description, type: target.type, isMissing: true))
                }
                edges.append(
                    Picture.Edge(from: from, to: to, label: arrow.field, kind: Picture.Edge.Kind(arrow.reference)))
            }
        }
        return Picture(nodes: nodes, edges: edges)
    }
}

extension Picture.Edge.Kind {
    /// The kind of arrow for a reference.
    init(_ reference: Record.Reference) {
        self = reference.action == .deleteSelf ? .deleteSelf : reference.isLink ? .link : .owning
    }
}
