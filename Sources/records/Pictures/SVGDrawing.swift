/// Draws the layout of a picture.
struct SVGDrawing {
    private static let margin = 24.0
    private static let longestLabel = 28

    private let picture: Picture
    private let boxes: [SVGBox]
    private let layout: PictureLayout
    private let ports: SVGPorts
    /// The upper edge of each row.
    private let tops: [Double]
    private let heights: [Double]
    private let width: Double
    private let shift: Double

    init(_ picture: Picture) {
        var loops: [Int: [String]] = [:]
        for (edge, ends) in zip(picture.edges, picture.ends) where ends.from == ends.to {
            loops[ends.from, default: []].append(edge.label)
        }
        boxes = picture.nodes.enumerated().map { index, node in
            let loop = loops[index]?.joined(separator: ", ").visible(within: Self.longestLabel)
            return SVGBox(node: node, colour: picture.colour(of: node), loop: loop)
        }
        self.picture = picture
        let layout = PictureLayout(picture, sizes: boxes.map(\.outerSize))
        self.layout = layout
        heights = layout.rows.map { row in row.map { layout.slots[$0].size.height }.max() ?? 0 }
        var top = Self.margin
        tops = heights.map { height in
            defer { top += height + BoxSize.rowGap }
            return top
        }
        let left = layout.slots.map { $0.x - $0.size.width / 2 }.min() ?? 0
        let right = layout.slots.map { $0.x + $0.size.width / 2 }.max() ?? 0
        shift = Self.margin - left
        width = right - left + 2 * Self.margin
        ports = SVGPorts(layout, boxWidths: boxes.map(\.size.width))
    }

    /// The content of the SVG file.
    var text: String {
        let height = (zip(tops, heights).map { $0 + $1 }.max() ?? Self.margin) + Self.margin
        let colours = min(picture.types.count, PictureColours.palette.count)
        let size = "width=\"\(width.short)\" height=\"\(height.short)\" viewBox=\"0 0 \(width.short) \(height.short)\""
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" \(size)>
            <style>
            \(SVGStyle.sheet(colours: colours))
            </style>
            <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" \
            markerUnits="userSpaceOnUse" orient="auto"><path class="arrow" d="M0 0L8 4L0 8z"/></marker>
            </defs>
            <rect class="ground" width="100%" height="100%"/>

            """
        ]
        parts += layout.segments.map(line)
        parts += passes
        for (index, box) in boxes.enumerated() {
            let (x, y) = (layout.slots[index].x + shift, tops[layout.slots[index].row])
            parts.append(box.drawn(x, y))
            if let loop = box.loop { parts.append(self.loop(loop, x + box.size.width / 2, y)) }
        }
        parts += layout.bundles.indices.map(label)
        return parts.joined() + "</svg>\n"
    }

    private func x(_ slot: Int, _ bundle: Int, isBelow: Bool) -> Double {
        shift + layout.slots[slot].x + ports.offset(slot, bundle, isBelow: isBelow)
    }

    /// The lower end of a line: at a box, or at the edge of a passed row.
    private func bottom(_ slot: Int) -> Double {
        let place = layout.slots[slot]
        return tops[place.row] + (place.node == nil ? heights[place.row] : place.size.height)
    }

    /// A piece of a line in the direction of the arrow, with a head at its target.
    private func line(_ segment: PictureLayout.Segment) -> String {
        let bundle = layout.bundles[segment.bundle]
        var start = (x: x(segment.upper, segment.bundle, isBelow: true), y: bottom(segment.upper))
        var end = (x: x(segment.lower, segment.bundle, isBelow: false), y: tops[layout.slots[segment.lower].row])
        let middle = (start.y + end.y) / 2
        if bundle.isReversed { swap(&start, &end) }
        let target = bundle.isReversed ? segment.upper : segment.lower
        let head = layout.slots[target].node == nil ? "" : " marker-end=\"url(#arrow)\""
        return "<g class=\"\(bundle.kind)\"><path d=\"M\(start.x.short) \(start.y.short)"
            + "C\(start.x.short) \(middle.short) \(end.x.short) \(middle.short) \(end.x.short) \(end.y.short)\""
            + "\(head)/></g>\n"
    }

    /// The straight pieces of lines that pass a row beside its boxes.
    private var passes: [String] {
        var bundles: [Int: Int] = [:]
        for segment in layout.segments { bundles[segment.upper] = segment.bundle }
        return layout.slots.enumerated().compactMap { index, slot in
            guard slot.node == nil, let bundle = bundles[index], heights[slot.row] > 0 else { return nil }
            let x = (slot.x + shift).short
            return "<g class=\"\(layout.bundles[bundle].kind)\"><path d=\"M\(x) \(tops[slot.row].short)"
                + "V\(bottom(index).short)\"/></g>\n"
        }
    }

    private func loop(_ label: String, _ right: Double, _ y: Double) -> String {
        "<g><path d=\"M\(right.short) \((y + 8).short)h14q8 0 8 6v0q0 6 -8 6h-13\" marker-end=\"url(#arrow)\"/>"
            + "<text class=\"label beside\" x=\"\((right + 28).short)\" y=\"\((y + 18).short)\">"
            + "\(label.xmlEscaped)</text></g>\n"
    }

    /// The label of a bundle at its owner; adjacent labels have different heights.
    private func label(_ number: Int) -> String {
        let bundle = layout.bundles[number]
        guard !bundle.label.isEmpty else { return "" }
        let x = x(bundle.owner, number, isBelow: bundle.isBelow)
        let step = 12 * Double(ports.rank(bundle.owner, number, isBelow: bundle.isBelow) % 3)
        let y =
            bundle.isBelow
            ? bottom(bundle.owner) + 20 + step : tops[layout.slots[bundle.owner].row] - 13 - step
        let text = bundle.label.visible(within: Self.longestLabel).xmlEscaped
        return "<text class=\"label\" x=\"\(x.short)\" y=\"\(y.short)\">\(text)</text>\n"
    }
}
