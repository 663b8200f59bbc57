/// Where the boxes and arrows of a picture are drawn.
///
/// Boxes stand in rows, arrows lead down from row to row. Arrows of one field that start at one box, or end at one,
/// run together in one line where they pass rows, so that a long list is a trunk with branches.
struct PictureLayout {
    /// A box, or the place where a line passes a row.
    struct Slot {
        var node: Int?
        var row: Int
        var size: BoxSize
        /// The middle.
        var x = 0.0
    }

    /// Arrows that run together.
    struct Bundle: Hashable {
        /// The box where the line starts or ends.
        var owner: Int
        /// Whether it branches below the owner, or joins above it.
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

    private(set) var slots: [Slot]
    private(set) var rows: [[Int]]
    private(set) var bundles: [Bundle] = []
    private(set) var segments: [Segment] = []

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

    /// The layers as rows; a layer that is too wide becomes several.
    private static func wrappedRows(
        _ picture: Picture, _ assignment: LayerAssignment, _ sizes: [BoxSize]
    ) -> [[Int]] {
        var layers: [[Int]] = Array(repeating: [], count: (assignment.layers.max() ?? -1) + 1)
        for (node, layer) in assignment.layers.enumerated() { layers[layer].append(node) }
        var neighbours: [[Int]] = Array(repeating: [], count: sizes.count)
        for (from, to) in picture.ends {
            neighbours[from].append(to)
            neighbours[to].append(from)
        }
        BarycentreOrder.sort(&layers, neighbours: neighbours, passes: 4)
        let area = sizes.reduce(0) { $0 + ($1.width + BoxSize.gap) * ($1.height + BoxSize.rowGap) }
        let widest = max(900, (area * 1.6).squareRoot())
        let listed = listMembers(picture)
        return layers.flatMap { layer -> [[Int]] in
            let width = layer.reduce(0) { $0 + sizes[$1].width + BoxSize.gap }
            guard width > widest else { return [layer] }
            var rows: [[Int]] = Array(repeating: [], count: Int((width / widest).rounded(.up)))
            var before = 0.0
            // Long lists come last: what is pointed at alone stays near.
            for node in layer.filter({ !listed.contains($0) }) + layer.filter(listed.contains) {
                rows[min(rows.count - 1, Int(before / width * Double(rows.count)))].append(node)
                before += sizes[node].width + BoxSize.gap
            }
            return rows.filter { !$0.isEmpty }
        }
    }

    /// The boxes that a field points to together with others.
    private static func listMembers(_ picture: Picture) -> Set<Int> {
        struct Field: Hashable {
            var owner: Int
            var label: String
        }
        var targets: [Field: [Int]] = [:]
        for (edge, ends) in zip(picture.edges, picture.ends) {
            targets[Field(owner: ends.from, label: edge.label), default: []].append(ends.to)
        }
        return Set(targets.values.filter { $0.count > 1 }.joined())
    }

    /// Puts the arrows into bundles, and leads each from row to row.
    private mutating func connect(_ picture: Picture, _ assignment: LayerAssignment) {
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
        var passes: [[Int]: Int] = [:]
        var known: Set<Segment> = []
        for index in arrows {
            var key = bundle(index, isBelow: true)
            if counts[key] == 1 { key = bundle(index, isBelow: false) }
            let number = numbers[key] ?? bundles.count
            if numbers[key] == nil {
                numbers[key] = number
                bundles.append(key)
            }
            let ends = picture.ends[index]
            let (upper, lower) = assignment.isReversed[index] ? (ends.to, ends.from) : (ends.from, ends.to)
            var last = upper
            for row in (slots[upper].row + 1)..<max(slots[upper].row + 1, slots[lower].row) {
                let pass = passes[[number, row]] ?? addPass(row)
                passes[[number, row]] = pass
                let segment = Segment(upper: last, lower: pass, bundle: number)
                if known.insert(segment).inserted { segments.append(segment) }
                last = pass
            }
            let segment = Segment(upper: last, lower: lower, bundle: number)
            if known.insert(segment).inserted { segments.append(segment) }
        }
    }

    private mutating func addPass(_ row: Int) -> Int {
        slots.append(Slot(node: nil, row: row, size: BoxSize(width: 4, height: 0)))
        rows[row].append(slots.count - 1)
        return slots.count - 1
    }

    /// Moves the members of each row to the middle of their neighbours, as far as their order and size allow.
    private mutating func place(_ neighbours: [[Int]]) {
        let widths = rows.map { row in row.reduce(0) { $0 + slots[$1].size.width + BoxSize.gap } }
        // Nothing moves further out than the widest row reaches: rows would drift away from each other.
        let reach = (widths.max() ?? 0) / 2
        for (row, width) in zip(rows, widths) {
            var x = -width / 2
            for member in row {
                slots[member].x = x + slots[member].size.width / 2
                x += slots[member].size.width + BoxSize.gap
            }
        }
        for pass in 0..<12 {
            for row in pass.isMultiple(of: 2) ? Array(rows.indices) : rows.indices.reversed() {
                align(rows[row], neighbours, reach)
            }
        }
    }

    private mutating func align(_ row: [Int], _ neighbours: [[Int]], _ reach: Double) {
        let whole = row.reduce(0) { $0 + slots[$1].size.width + BoxSize.gap }
        var before = 0.0
        let wanted = row.map { member in
            let around = neighbours[member]
            let mean = around.isEmpty ? slots[member].x : around.reduce(0) { $0 + slots[$1].x } / Double(around.count)
            let half = (slots[member].size.width + BoxSize.gap) / 2
            before += half
            defer { before += half }
            // What stands before and behind it in the row needs its place within reach, too.
            return min(max(mean, before - reach), reach - whole + before)
        }
        func distance(_ index: Int) -> Double {
            (slots[row[index - 1]].size.width + slots[row[index]].size.width) / 2 + BoxSize.gap
        }
        var fromLeft = wanted
        var fromRight = wanted
        for index in row.indices.dropFirst() {
            fromLeft[index] = max(fromLeft[index], fromLeft[index - 1] + distance(index))
        }
        for index in row.indices.dropFirst().reversed() {
            fromRight[index - 1] = min(fromRight[index - 1], fromRight[index] - distance(index))
        }
        // Both keep the distances, so their middle does.
        for (index, member) in row.enumerated() { slots[member].x = (fromLeft[index] + fromRight[index]) / 2 }
    }
}

/// The size of a box, and the space around it.
struct BoxSize: Equatable, Sendable {
    static let gap = 18.0
    static let rowGap = 76.0

    var width: Double
    var height: Double
}
