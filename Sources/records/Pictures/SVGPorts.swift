/// The points where lines meet the edges of boxes: spaced, and in the order of the other ends of the lines.
struct SVGPorts {
    private struct Port: Hashable {
        var slot: Int
        var bundle: Int
        var isBelow: Bool
    }

    private struct Side: Hashable {
        var slot: Int
        var isBelow: Bool
    }

    private var offsets: [Port: Double] = [:]

    init(_ layout: PictureLayout, boxWidths: [Double]) {
        var ends: [Side: [Int: [Double]]] = [:]
        for segment in layout.segments {
            ends[Side(slot: segment.upper, isBelow: true), default: [:]][segment.bundle, default: []]
                .append(layout.slots[segment.lower].x)
            ends[Side(slot: segment.lower, isBelow: false), default: [:]][segment.bundle, default: []]
                .append(layout.slots[segment.upper].x)
        }
        for (side, bundles) in ends {
            guard let node = layout.slots[side.slot].node else { continue }
            let means = bundles.map { (mean: $1.reduce(0, +) / Double($1.count), bundle: $0) }
            let sorted = means.sorted { ($0.mean, $0.bundle) < ($1.mean, $1.bundle) }
            let step = min(70, max(0, boxWidths[node] - 24) / Double(max(1, sorted.count - 1)))
            for (rank, end) in sorted.enumerated() {
                let port = Port(slot: side.slot, bundle: end.bundle, isBelow: side.isBelow)
                offsets[port] = step * (Double(rank) - Double(sorted.count - 1) / 2)
            }
        }
    }

    /// The distance of a line from the middle of its box; 0 for a line that passes the row.
    func offset(_ slot: Int, _ bundle: Int, isBelow: Bool) -> Double {
        offsets[Port(slot: slot, bundle: bundle, isBelow: isBelow)] ?? 0
    }
}
