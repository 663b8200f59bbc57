extension PictureLayout {
    /// The layers as rows; a layer that is too wide becomes several rows.
    static func wrappedRows(
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
            // Members of lists come last, so that single targets stay near.
            for node in layer.filter({ !listed.contains($0) }) + layer.filter(listed.contains) {
                rows[min(rows.count - 1, Int(before / width * Double(rows.count)))].append(node)
                before += sizes[node].width + BoxSize.gap
            }
            return rows.filter { !$0.isEmpty }
        }
    }

    /// The targets of fields that refer to several boxes.
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
}
