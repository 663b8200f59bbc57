extension PictureLayout {
    /// Groups the arrows in bundles, and routes each from row to row.
    mutating func connect(_ picture: Picture, _ assignment: LayerAssignment) {
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
}
