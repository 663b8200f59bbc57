/// The points where lines meet the edges of boxes: spaced, and in the order of the other ends of the lines.
struct SVGPorts {
    private struct Side: Hashable {
        var box: Int
        var isBelow: Bool
    }

    /// The distances from the middle of the box, by the bundles at each side.
    private var offsets: [Side: [Int: Double]] = [:]

    init(_ layout: PictureLayout, boxWidths: [Double]) {
        var ends: [Side: [Int: [Double]]] = [:]
        for segment in layout.segments {
            let (upper, lower) = (segment.upper, segment.lower)
            for (slot, other, isBelow) in [(upper, lower, true), (lower, upper, false)] {
                ends[Side(box: slot, isBelow: isBelow), default: [:]][segment.bundle, default: []]
                    .append(layout.slots[other].x)
            }
        }
        for (side, bundles) in ends where side.box < boxWidths.count {
            let means = bundles.map { (mean: $1.reduce(0, +) / Double($1.count), bundle: $0) }
            let step = min(70, max(0, boxWidths[side.box] - 24) / Double(max(1, means.count - 1)))
            for (rank, end) in means.sorted(by: { ($0.mean, $0.bundle) < ($1.mean, $1.bundle) }).enumerated() {
                offsets[side, default: [:]][end.bundle] = step * (Double(rank) - Double(means.count - 1) / 2)
            }
        }
    }

    /// The distance of a line from the middle of its box; 0 for a label, and for a line that passes a row.
    func offset(_ slot: Int, _ bundle: Int, isBelow: Bool) -> Double {
        offsets[Side(box: slot, isBelow: isBelow)]?[bundle] ?? 0
    }
}
