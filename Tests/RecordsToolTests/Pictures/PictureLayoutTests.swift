import TestSupport
import Testing

@testable import records

@Suite struct PictureLayoutTests {
    private func layout(_ picture: Picture, width: Double = 90) -> PictureLayout {
        PictureLayout(picture, sizes: picture.nodes.map { _ in BoxSize(width: width, height: 40) }) {
            BoxSize(width: 60 * Double($0.utf8.count), height: 18)
        }
    }

    @Test(arguments: 0..<100)
    func boxesDoNotOverlap(_ seed: Int) {
        let layout = layout(.random(seed, labels: ["a", "bb"]))
        for row in layout.rows {
            for (left, right) in zip(row, row.dropFirst()) {
                let (left, right) = (layout.slots[left], layout.slots[right])
                #expect(left.x + left.size.width / 2 < right.x - right.size.width / 2)
            }
        }
        #expect(layout.rows.joined().sorted() == Array(layout.slots.indices))
    }

    @Test(arguments: Sweep.some(10, of: 0..<100))
    func linesLeadFromEveryStartToItsEnd(_ seed: Int) {
        let picture = Picture.random(seed, labels: ["a", "b"])
        let layout = layout(picture)
        #expect(layout.segments.allSatisfy { layout.slots[$0.upper].row + 1 == layout.slots[$0.lower].row })
        for (edge, ends) in zip(picture.edges, picture.ends) where ends.from != ends.to {
            let isReached = layout.bundles.indices.contains { number in
                let bundle = layout.bundles[number]
                guard bundle.label == edge.label, bundle.kind == edge.kind else { return false }
                let (upper, lower) = bundle.isReversed ? (ends.to, ends.from) : (ends.from, ends.to)
                let segments = layout.segments.filter { $0.bundle == number }
                guard segments.contains(where: { $0.upper == upper }) else { return false }
                var reached: Set = [upper]
                for _ in layout.rows { reached.formUnion(segments.filter { reached.contains($0.upper) }.map(\.lower)) }
                return reached.contains(lower)
            }
            #expect(isReached)
        }
        for (bundle, label) in zip(layout.bundles, layout.labels) {
            let owner = layout.slots[bundle.owner]
            #expect(layout.slots[label].row == owner.row + (bundle.isBelow ? 1 : -1))
        }
    }

    @Test func arrowsPointDownSaveOneInARing() {
        let ring = (0..<40).map { (from: $0, to: ($0 + 1) % 40) }
        let assignment = LayerAssignment(count: 40, ends: ring)
        #expect(assignment.layers == Array(0..<40))
        #expect(assignment.isReversed.indices.filter { assignment.isReversed[$0] } == [39])
    }

    @Test func layerIsThatOfTheLongestWay() {
        let ends = [(0, 1), (1, 2), (0, 2), (2, 3), (4, 3), (3, 3)].map { (from: $0.0, to: $0.1) }
        let assignment = LayerAssignment(count: 6, ends: ends)
        #expect(assignment.layers == [0, 1, 2, 3, 2, 0])
        #expect(!assignment.isReversed.contains(true))
    }

    @Test func longChainNeedsNoStack() {
        let chain = (0..<200_000).map { (from: $0, to: $0 + 1) }
        #expect(LayerAssignment(count: 200_001, ends: chain).layers.last == 200_000)
    }

    @Test func longListIsWrapped() {
        let nodes = (0...150).map { Picture.Node(id: "\($0)", title: "\($0)", type: "T") }
        let edges = (1...150).map { Picture.Edge(from: "0", to: "\($0)", label: "list") }
        let layout = layout(Picture(nodes: nodes, edges: edges))
        let boxes = stride(from: 0, to: layout.rows.count, by: 2).map { layout.rows[$0].count { $0 < nodes.count } }
        #expect(boxes.count > 5)
        #expect(boxes.dropFirst().allSatisfy { (8...30).contains($0) })
        // One trunk, which passes all rows but the first and the last; its label is in the second.
        #expect(layout.bundles.count == 1)
        #expect(layout.slots.count == 151 + layout.rows.count - 2)
    }
}
