import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import records

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct SVGLabelTests {
    /// Collects the places of boxes, texts and lines in a drawing.
    private final class Places: NSObject, XMLParserDelegate {
        var size = CGRect.zero
        var boxes: [CGRect] = []
        var texts: [(text: String, place: CGRect)] = []
        var labels: [(text: String, place: CGRect)] = []
        /// The points of each line, near each other.
        var lines: [[CGPoint]] = []
        var tooltips: [String] = []
        private var attributes: [String: String] = [:]
        private var text = ""

        private func number(_ key: String) -> Double { attributes[key].flatMap(Double.init) ?? 0 }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            (text, self.attributes) = ("", attributes)
            let place = CGRect(x: number("x"), y: number("y"), width: number("width"), height: number("height"))
            switch name {
            case "svg": size = place
            case "rect" where attributes["x"] != nil: boxes.append(place)
            case "path" where attributes["class"] == nil: lines.append(Self.points(attributes["d"] ?? ""))
            default: break
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "title" { tooltips.append(text) }
            guard name == "text" else { return }
            // The signs of monospaced fonts of 11 and 12 points are at most 6.7 and 7.3 points wide.
            let isLabel = attributes["class"] == "label"
            let width = Double(text.displayWidth) * (isLabel ? 6.7 : 7.3)
            let left = number("x") - (isLabel ? width / 2 : 0)
            let found = (text, CGRect(x: left, y: number("y") - 10, width: width, height: 13))
            if isLabel { labels.append(found) } else { texts.append(found) }
        }

        /// The points of a path of the commands M, V and C.
        private static func points(_ path: String) -> [CGPoint] {
            var points: [CGPoint] = []
            for part in path.matches(of: /([A-Za-z])([^A-Za-z]*)/) {
                let numbers = part.2.split(separator: " ").compactMap { Double($0) }
                switch (part.1, numbers.count, points.last) {
                case ("M", 2, nil): points.append(CGPoint(x: numbers[0], y: numbers[1]))
                case ("V", 1, let start?):
                    let step = (numbers[0] - start.y) / 20
                    points += (1...20).map { CGPoint(x: start.x, y: start.y + step * Double($0)) }
                case ("C", 6, let start?):
                    func mixed(_ part: Double, _ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
                        let rest = 1 - part
                        return a * rest * rest * rest + 3 * b * part * rest * rest + 3 * c * part * part * rest
                            + d * part * part * part
                    }
                    points += (1...100).map {
                        let part = Double($0) / 100
                        return CGPoint(
                            x: mixed(part, start.x, numbers[0], numbers[2], numbers[4]),
                            y: mixed(part, start.y, numbers[1], numbers[3], numbers[5]))
                    }
                default: Issue.record("unexpected path \(path)")
                }
            }
            return points
        }

        /// Whether an area is inside another, which Foundation decides by sums that are rounded.
        private static func holds(_ outer: CGRect, _ inner: CGRect) -> Bool {
            outer.minX <= inner.minX && outer.minY <= inner.minY && inner.maxX <= outer.maxX && inner.maxY <= outer.maxY
        }

        /// Expects that all texts are in boxes, and that no line and no other label is in a box or a label.
        func expectNoCrossing() {
            let areas = boxes.map { $0.insetBy(dx: 1, dy: 1) } + labels.map(\.place)
            for (index, area) in areas.enumerated() {
                #expect(Self.holds(size, area))
                let met = areas[(index + 1)...].filter { $0.intersects(area) }
                #expect(met.isEmpty, "\(area)")
            }
            for line in lines {
                let (x, y) = (line.map(\.x), line.map(\.y))
                let (left, top) = (x.min() ?? 0, y.min() ?? 0)
                let frame = CGRect(x: left, y: top, width: (x.max() ?? 0) - left, height: (y.max() ?? 0) - top)
                let near = areas.filter { $0.intersects(frame.insetBy(dx: -1, dy: -1)) }
                let crossed = near.filter { area in line.contains { area.contains($0) } }
                #expect(crossed.isEmpty && Self.holds(size, frame), "\(line)")
            }
            for (text, place) in texts { #expect(boxes.contains { Self.holds($0, place) }, "\(text)") }
        }
    }

    private func places(_ picture: Picture) throws -> Places {
        let places = Places()
        let parser = XMLParser(data: Data(try picture.svg().utf8))
        parser.delegate = places
        try #require(parser.parse())
        return places
    }

    private static func pair(fields: Int, isSummary: Bool) throws -> Picture {
        var picture = RecordPicture(isSummary: isSummary)
        for owner in 0..<2 {
            let fields = (0..<fields).map { #""field\#($0)":{"$ref":"B/\#($0 % 3)"}"# }.joined(separator: ",")
            try picture.add(ToolFolder.record(#"{"id":"A/\#(owner)","fields":{\#(fields)}}"#))
        }
        for target in 0..<3 {
            let link = #"{"back":{"$ref":"A/0","link":true}}"#
            try picture.add(ToolFolder.record(#"{"id":"B/\#(target)","fields":\#(link)}"#))
        }
        return picture.finish()
    }

    /// Two types of records that refer to each other by several fields.
    private static func mutual() -> Picture {
        let nodes = (0..<120).map {
            Picture.Node(id: "\($0)", title: "Node \($0)", lines: $0 % 3 == 0 ? ["line"] : [], type: "T\($0 % 2)")
        }
        let edges = (0..<300).map { number in
            Picture.Edge(
                from: "\(number * 7 % 120)", to: "\((number * 31 + 1) % 120)",
                label: ["birthplace", "home", "成绩", "x"][number % 4], kind: number % 5 == 0 ? .link : .owning)
        }
        return Picture(nodes: nodes, edges: edges)
    }

    private static func star(back: Bool) -> Picture {
        let nodes = (0...150).map { Picture.Node(id: "\($0)", title: "Node \($0)", type: "T") }
        let edges = (1...150).flatMap { number in
            [
                Picture.Edge(from: "0", to: "\(number)", label: "spoke number \(number)"),
                Picture.Edge(from: "\(number)", to: "0", label: back ? "hub" : "hub of \(number)"),
            ]
        }
        return Picture(nodes: nodes, edges: edges)
    }

    private static func school() throws -> Picture {
        var picture = RecordPicture(isSummary: false)
        for line in SchoolRecords.lines { try picture.add(ToolFolder.record(line)) }
        return picture.finish()
    }

    @Test(
        arguments: [
            try school(), mutual(), star(back: true), star(back: false), try pair(fields: 250, isSummary: true),
            try pair(fields: 250, isSummary: false), try pair(fields: 9, isSummary: false),
            try pair(fields: 3, isSummary: true),
        ])
    func labelsMeetNeitherBoxesNorLinesNorEachOther(_ picture: Picture) throws {
        let places = try places(picture)
        #expect(places.boxes.count == picture.nodes.count)
        places.expectNoCrossing()
        // What the label of many lines lacks is in a tooltip.
        let texts = Set(places.labels.map(\.text))
        #expect(
            picture.edges.allSatisfy { edge in
                texts.contains(edge.label) || places.tooltips.contains { $0.contains(edge.label) }
            })
    }

    /// Graphs of up to 60 boxes and 120 arrows.
    @Test(arguments: Sweep.some(10, of: 0..<100))
    func labelsAreWholeAndNotCrossed(_ seed: Int) throws {
        let long = "a field with a name too long for forty columns, "
        let names = [
            "id", "headOfSchool", "成績の一覧表", "<&>\"'", "a\u{202e}b\u{1b}", String(repeating: "x", count: 90),
            long + long, "مكتبة المدرسة",
        ]
        let picture = Picture.random(seed, labels: names)
        let places = try places(picture)
        places.expectNoCrossing()
        for text in Set(picture.edges.map(\.label)) {
            let lines = text.visible.folded(to: 40)
            #expect(lines.joined() == text.visible)
            #expect(places.labels.map(\.text).contains(lines), "\(lines)")
        }
        for node in picture.nodes {
            let lines = ([node.title] + node.lines).flatMap { $0.visible.folded(to: 40) }
            #expect(places.texts.map(\.text).contains(lines), "\(lines)")
        }
    }

    @Test func manyParallelArrowsAreOneLine() throws {
        let places = try places(Self.pair(fields: 250, isSummary: true))
        let labels = places.labels.map(\.text)
        #expect(labels.count == 9)
        #expect(labels.contains("+ 243 more"))
        #expect(labels.contains("field0 ×2"))
        #expect(labels.contains("back ×3"))
        #expect(places.tooltips.contains { $0.contains("field249 ×2") })
    }
}
