/// Draws the layout of a picture.
struct SVGDrawing {
    private static let margin = 24.0
    private static let mostParallels = 3

    private let picture: Picture
    private let boxes: [SVGBox]
    private let layout: PictureLayout
    private let ports: SVGPorts
    private let labels: SVGLabels
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
            SVGBox(
                node: node, colour: picture.colour(of: node), loop: loops[index]?.joined(separator: ", "),
                address: address(node))
        }
        let merged = picture.mergingParallels(moreThan: Self.mostParallels)
        let layout = PictureLayout(merged, sizes: boxes.map(\.outerSize))
        var labels = SVGLabels(layout.bundles)
        let left = layout.slots.map { $0.x - $0.size.width / 2 }.min() ?? 0
        let right = layout.slots.map { $0.x + $0.size.width / 2 }.max() ?? 0
        width = max(right - left + 2 * Self.margin, labels.width)
        shift = (width - right - left) / 2
        ports = SVGPorts(layout, boxWidths: boxes.map(\.size.width))
        for (number, bundle) in layout.bundles.enumerated() {
            let x = shift + layout.slots[bundle.owner].x + ports.offset(bundle.owner, number, isBelow: bundle.isBelow)
            labels.place(
                number, at: x, row: layout.slots[bundle.owner].row, isBelow: bundle.isBelow, within: width)
        }
        heights = layout.rows.map { row in row.map { layout.slots[$0].size.height }.max() ?? 0 }
        var top = Self.margin
        tops = heights.enumerated().map { row, height in
            defer { top += height + labels.gap(below: row) }
            return top
        }
        (self.picture, self.boxes, self.layout, self.labels) = (picture, boxes, layout, labels)
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
        parts += passes
        for (index, box) in boxes.enumerated() {
            let (x, y) = (layout.slots[index].x + shift, tops[layout.slots[index].row])
            parts.append(box.drawn(x, y))
            parts.append(loop(of: box, x + box.size.width / 2, y))
        }
        parts.append(labels.drawn(tops, heights))
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
        return "<g class=\"\(bundle.kind)\">\(tooltip(segment.bundle))<path d=\"M\(start.x.short) \(start.y.short)"
            + "C\(start.x.short) \(middle.short) \(end.x.short) \(middle.short) \(end.x.short) \(end.y.short)\""
            + "\(head)/></g>\n"
    }

    /// The whole label of a line, if the picture does not show it.
    private func tooltip(_ number: Int) -> String {
        let label = layout.bundles[number].label
        if labels.showsWhole(number, label) { return "" }
        let lines = label.unicodeScalars.split(separator: "\n").map(String.init)
        return "<title>\(lines.joined(separator: ", ").xmlEscaped)</title>"
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

    private func loop(of box: SVGBox, _ right: Double, _ y: Double) -> String {
        guard let label = box.loop, let shown = box.shownLoop else { return "" }
        let tooltip = shown == label ? "" : "<title>\(label.xmlEscaped)</title>"
        return "<g>\(tooltip)<path d=\"M\(right.short) \((y + 8).short)h14q8 0 8 6v0q0 6 -8 6h-13\" "
            + "marker-end=\"url(#arrow)\"/><text class=\"label beside\" x=\"\((right + 28).short)\" "
            + "y=\"\((y + 18).short)\">\(shown.xmlEscaped)</text></g>\n"
    }
}
