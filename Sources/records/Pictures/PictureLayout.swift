/// The layout of the boxes, the labels and the arrows of a picture.
///
/// Boxes are in rows, labels are in rows between those, and arrows lead down from row to row. A line has a place of its
/// own in each row, and moves sideways only between rows: so it crosses no box and no label. Arrows of one field that
/// start or end at the same box share one line where they pass rows, so a long list is a trunk with branches.
struct PictureLayout {
    /// A box, a label, or the point where a line passes a row.
    struct Slot {
        var row: Int
        var size: BoxSize
        /// The middle.
        var x = 0.0
    }

    /// Arrows that share a line.
    struct Bundle: Hashable {
        /// The box where the line starts or ends.
        var owner: Int
        /// Whether the line branches below the owner, or joins above it.
        var isBelow: Bool
        var label: String
        var kind: Picture.Edge.Kind
        /// Whether the arrows point up.
        var isReversed: Bool
    }

    /// A piece of a line, from one row to the next.
    struct Segment: Hashable {
        var upper: Int
        var lower: Int
        var bundle: Int
    }

    /// The boxes in the order of the picture, then the labels and the points.
    var slots: [Slot]

    /// The slots of each row: rows of boxes, and a row of labels after each except the last.
    var rows: [[Int]]
    private(set) var bundles: [Bundle] = []

    /// The slot of the label of each bundle: in the row next to its owner.
    private(set) var labels: [Int] = []
    private(set) var segments: [Segment] = []

    /// Lays out a picture.
    init(_ picture: Picture, sizes: [BoxSize], labelSize: (String) -> BoxSize) {
        let assignment = LayerAssignment(count: picture.nodes.count, ends: picture.ends)
        let boxes = Self.wrappedRows(picture, assignment, sizes)
        rows = Array(boxes.map { [$0] }.joined(separator: [[]]))
        slots = sizes.map { Slot(row: 0, size: $0) }
        for (row, members) in rows.enumerated() {
            for member in members { slots[member].row = row }
        }
        connect(picture, assignment, labelSize)
        var neighbours: [[Int]] = Array(repeating: [], count: slots.count)
        for segment in segments {
            neighbours[segment.upper].append(segment.lower)
            neighbours[segment.lower].append(segment.upper)
        }
        BarycentreOrder.sort(&rows, neighbours: neighbours, passes: 6)
        place(neighbours)
    }

    /// Groups the arrows in bundles, and routes each from row to row.
    private mutating func connect(
        _ picture: Picture, _ assignment: LayerAssignment, _ labelSize: (String) -> BoxSize
    ) {
        func bundle(_ index: Int, isBelow: Bool) -> Bundle {
            let (edge, ends) = (picture.edges[index], picture.ends[index])
            let isReversed = assignment.isReversed[index]
            return Bundle(
                owner: isBelow != isReversed ? ends.from : ends.to, isBelow: isBelow, label: edge.label,
                kind: edge.kind, isReversed: isReversed)
        }
        let arrows = picture.edges.indices.filter { picture.ends[$0].from != picture.ends[$0].to }
        let counts = Dictionary(arrows.map { (bundle($0, isBelow: true), 1) }, uniquingKeysWith: +)
        var numbers: [Bundle: Int] = [:]
        // The slots of each bundle, by their rows.
        var points: [[Int: Int]] = []
        var known: Set<Segment> = []
        for index in arrows {
            var key = bundle(index, isBelow: true)
            if counts[key] == 1 { key = bundle(index, isBelow: false) }
            let number = numbers[key] ?? bundles.count
            if number == bundles.count {
                numbers[key] = number
                bundles.append(key)
                let row = slots[key.owner].row + (key.isBelow ? 1 : -1)
                labels.append(addSlot(row, labelSize(key.label)))
                points.append([row: labels[number]])
            }
            func lead(from upper: Int, to lower: Int) {
                let segment = Segment(upper: upper, lower: lower, bundle: number)
                if known.insert(segment).inserted { segments.append(segment) }
            }
            let ends = picture.ends[index]
            let (upper, lower) = assignment.isReversed[index] ? (ends.to, ends.from) : (ends.from, ends.to)
            var last = upper
            for row in (slots[upper].row + 1)..<slots[lower].row {
                let point = points[number][row] ?? addSlot(row, BoxSize(width: 4, height: 0))
                points[number][row] = point
                lead(from: last, to: point)
                last = point
            }
            lead(from: last, to: lower)
        }
    }

    private mutating func addSlot(_ row: Int, _ size: BoxSize) -> Int {
        slots.append(Slot(row: row, size: size))
        rows[row].append(slots.count - 1)
        return slots.count - 1
    }
}

/// The size of a box or a label, and the space around a box.
struct BoxSize: Equatable, Sendable {
    static let gap = 18.0
    /// The usual space, in which lines and their labels are.
    static let rowGap = 76.0

    var width: Double
    var height: Double
}
