/// Draws the layout of a picture.
struct SVGDrawing {
    private static let margin = 24.0
    private static let mostParallels = 3

    private let picture: Picture
    private let boxes: [SVGBox]
    private let labels: [SVGLabel]
    private let layout: PictureLayout
    private let ports: SVGPorts
    /// The upper edge of each row.
    private let tops: [Double]
    private let heights: [Double]
    private let width: Double
    private let shift: Double

    init(_ picture: Picture, linking address: (Picture.Node) -> String?) {
        var loops: [Int: [String]] = [:]
        for (edge, ends) in zip(picture.edges, picture.ends) where ends.from == ends.to {
            loops[ends.from, default: []].append(edge.label)
        }
        let boxes = picture.nodes.enumerated().map { index, node in
            SVGBox(node, colour: picture.colour(of: node), loop: SVGLabel(loops[index] ?? []), address: address(node))
        }
        func label(_ fields: String) -> SVGLabel {
            SVGLabel(fields.unicodeScalars.split(separator: "\n").map(String.init))
        }
        let merged = picture.mergingParallels(moreThan: Self.mostParallels)
        let layout = PictureLayout(merged, sizes: boxes.map(\.outerSize)) { label($0).size }
        let left = layout.slots.map { $0.x - $0.size.width / 2 }.min() ?? 0
        let right = layout.slots.map { $0.x + $0.size.width / 2 }.max() ?? 0
        (width, shift) = (right - left + 2 * Self.margin, Self.margin - left)
        let heights = layout.rows.map { row in row.map { layout.slots[$0].size.height }.max() ?? 0 }
        var reach = heights.map { _ in 0.0 }
        for segment in layout.segments {
            let (upper, lower) = (layout.slots[segment.upper], layout.slots[segment.lower])
            reach[upper.row] = max(reach[upper.row], abs(upper.x - lower.x))
        }
        var top = Self.margin
        tops = zip(heights, reach).map { height, reach in
            // The further a line leads to the side, the more room it needs to be followed.
            defer { top += height + min(70, 22 + reach / 16) }
            return top
        }
        ports = SVGPorts(layout, boxWidths: boxes.map(\.size.width))
        (self.picture, self.boxes, self.layout, self.heights) = (picture, boxes, layout, heights)
        labels = layout.bundles.map { label($0.label) }
    }

    /// The content of the SVG file.
    var text: String {
        let height = (zip(tops, heights).map { $0 + $1 }.max() ?? Self.margin) + Self.margin
        let size = "width=\"\(width.short)\" height=\"\(height.short)\" viewBox=\"0 0 \(width.short) \(height.short)\""
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" \(size)>
            <style>
            \(SVGStyle.sheet(colours: picture.colours))
            </style>
            <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" \
            markerUnits="userSpaceOnUse" orient="auto"><path class="arrow" d="M0 0L8 4L0 8z"/></marker>
            </defs>
            <rect class="ground" width="100%" height="100%"/>

            """
        ]
        parts += layout.segments.map(line)
        for (box, slot) in zip(boxes, layout.slots) { parts.append(box.drawn(slot.x + shift, tops[slot.row])) }
        for (label, slot) in zip(labels, layout.labels.map { layout.slots[$0] }) {
            parts.append(label.drawn(slot.x + shift, tops[slot.row]))
        }
        return parts.joined() + "</svg>\n"
    }

    /// A piece of a line in the direction of the arrow, with a head at a box: vertical beside the other members of its
    /// upper row, and curved below it.
    private func line(_ segment: PictureLayout.Segment) -> String {
        let (upper, lower) = (layout.slots[segment.upper], layout.slots[segment.lower])
        let bundle = layout.bundles[segment.bundle]
        let x1 = (shift + upper.x + ports.offset(segment.upper, segment.bundle, isBelow: true)).short
        let x2 = (shift + lower.x + ports.offset(segment.lower, segment.bundle, isBelow: false)).short
        let (top, end) = (tops[upper.row], tops[lower.row])
        let (start, bend) = (top + upper.size.height, top + heights[upper.row])
        let middle = ((bend + end) / 2).short
        let path =
            bundle.isReversed
            ? "M\(x2) \(end.short)C\(x2) \(middle) \(x1) \(middle) \(x1) \(bend.short)V\(start.short)"
            : "M\(x1) \(start.short)V\(bend.short)C\(x1) \(middle) \(x2) \(middle) \(x2) \(end.short)"
        let isEnd = boxes.indices.contains(bundle.isReversed ? segment.upper : segment.lower)
        return "<g class=\"\(bundle.kind)\">\(labels[segment.bundle].tooltip)<path d=\"\(path)\""
            + "\(isEnd ? " marker-end=\"url(#arrow)\"" : "")/></g>\n"
    }
}
