import Foundation
import NestedRecords
import Testing

@testable import records

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct SVGLabelTests {
    /// Collects the places of labels and boxes in a drawing.
    private final class Places: NSObject, XMLParserDelegate {
        var boxes: [CGRect] = []
        var labels: [(text: String, place: CGRect)] = []
        var tooltips: [String] = []
        private var element = ""
        private var start: (x: Double, y: Double, isBeside: Bool)?
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            text = ""
            start = nil
            func number(_ key: String) -> Double { attributes[key].flatMap(Double.init) ?? 0 }
            if name == "rect", attributes["x"] != nil {
                boxes.append(
                    CGRect(x: number("x"), y: number("y"), width: number("width"), height: number("height")))
            }
            if name == "text", let style = attributes["class"], style.starts(with: "label") {
                start = (number("x"), number("y"), style == "label beside")
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "title" { tooltips.append(text) }
            guard name == "text", let start else { return }
            // The signs of a monospaced font of 11 points are at most 6.7 points wide.
            let width = Double(text.displayWidth) * 6.7
            let left = start.isBeside ? start.x : start.x - width / 2
            labels.append((text, CGRect(x: left, y: start.y - 10, width: width, height: 13)))
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
    func labelsMeetNeitherBoxesNorEachOther(_ picture: Picture) throws {
        let places = try places(picture)
        #expect(places.boxes.count == picture.nodes.count)
        #expect(!places.labels.isEmpty)
        for (index, label) in places.labels.enumerated() {
            let meeting =
                places.boxes.filter { $0.intersects(label.place) }.count
                + places.labels[(index + 1)...].filter { $0.place.intersects(label.place) }.count
            #expect(meeting == 0, "\(label.text)")
            #expect(label.place.minX >= 0)
        }
        // What has no room is a tooltip.
        let texts = places.labels.map(\.text) + places.tooltips
        #expect(picture.edges.allSatisfy { edge in texts.contains { $0.contains(edge.label) } })
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
