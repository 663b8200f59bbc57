/// The layout of the boxes and arrows of a picture.
///
/// Boxes are in rows, and arrows lead down from row to row. Arrows of one field that start or end at the same box
/// share one line where they pass rows, so a long list is a trunk with branches.
struct PictureLayout {
    /// A box, or the point where a line passes a row.
    struct Slot {
        var node: Int?
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

    var slots: [Slot]
    var rows: [[Int]]
    var bundles: [Bundle] = []
    var segments: [Segment] = []

    /// Lays out a picture.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - sizes: The size of each box.
    init(_ picture: Picture, sizes: [BoxSize]) {
        let assignment = LayerAssignment(count: picture.nodes.count, ends: picture.ends)
        rows = Self.wrappedRows(picture, assignment, sizes)
        slots = sizes.enumerated().map { Slot(node: $0, row: 0, size: $1) }
        for (row, members) in rows.enumerated() {
            for member in members { slots[member].row = row }
        }
        connect(picture, assignment)
        var neighbours: [[Int]] = Array(repeating: [], count: slots.count)
        for segment in segments {
            neighbours[segment.upper].append(segment.lower)
            neighbours[segment.lower].append(segment.upper)
        }
        BarycentreOrder.sort(&rows, neighbours: neighbours, passes: 6)
        place(neighbours)
    }
}

/// The size of a box, and the space around it.
struct BoxSize: Equatable, Sendable {
    static let gap = 18.0
    static let rowGap = 76.0

    var width: Double
    var height: Double
}
