import Foundation
import Testing

@testable import records

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct SVGTests {
    /// Collects the texts of a drawing, and fails where it is no XML.
    private final class Texts: NSObject, XMLParserDelegate {
        var texts: [String] = []
        var elements: [String: Int] = [:]
        private var isText = false

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements[name, default: 0] += 1
            isText = name == "text"
            if isText { texts.append("") }
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            isText = false
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            if isText { texts[texts.count - 1] += string }
        }
    }

    private func read(_ svg: String) throws -> Texts {
        let parser = XMLParser(data: Data(svg.utf8))
        let texts = Texts()
        parser.delegate = texts
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        return texts
    }

    @Test func everyTextStandsInTheDrawing() throws {
        let picture = Picture(
            nodes: [
                Picture.Node(
                    id: "1", title: "School/<1>", lines: ["name: \"A\" & 'b'", "日本\u{1b}\u{ffff}"], type: "S"),
                Picture.Node(id: "2", title: "]]>--><!--", type: "P"),
            ],
            edges: [
                Picture.Edge(from: "1", to: "2", label: "<students>"),
                Picture.Edge(from: "2", to: "1", label: "school", kind: .link),
                Picture.Edge(from: "2", to: "2", label: "self", kind: .deleteSelf),
                Picture.Edge(from: "2", to: "gone", label: ""),
            ])
        let read = try read(picture.svg())
        #expect(
            read.texts == [
                "School/<1>", "name: \"A\" & 'b'", #"日本\u{1b}\u{ffff}"#, "]]>--><!--", "self", "gone", "<students>",
                "school",
            ])
        // The ground and three boxes; the head of arrows, the loop, and two pieces of each of three lines.
        #expect(read.elements["rect"] == 4)
        #expect(read.elements["path"] == 8)
    }

    @Test func longTextIsFolded() throws {
        let picture = Picture(
            nodes: [Picture.Node(id: "1", title: String(repeating: "日", count: 50), type: "T")],
            edges: [Picture.Edge(from: "1", to: "2", label: String(repeating: "x", count: 50))])
        #expect(
            try read(picture.svg()).texts == [
                String(repeating: "日", count: 20), String(repeating: "日", count: 20), String(repeating: "日", count: 10),
                "2", String(repeating: "x", count: 40), String(repeating: "x", count: 10),
            ])
    }

    @Test func coloursAreThoseOfTypesInBothSchemes() throws {
        let nodes = (0..<50).map { Picture.Node(id: "\($0)", title: "\($0)", type: "T\($0)") }
        let svg = try Picture(nodes: nodes, edges: []).svg()
        for (index, colours) in PictureColours.palette.enumerated() {
            #expect(svg.contains(".t\(index) rect { fill: \(colours.light.ground); stroke: \(colours.light.border) }"))
            #expect(svg.contains(".t\(index) rect { fill: \(colours.dark.ground); stroke: \(colours.dark.border) }"))
        }
        #expect(svg.contains("@media (prefers-color-scheme: dark)"))
    }

    @Test(arguments: [Picture.largestDrawing, Picture.largestDrawing + 1])
    func unreadablyLargePictureIsAnError(_ count: Int) {
        let nodes = (0..<count).map { Picture.Node(id: "\($0)", title: "\($0)", type: "T") }
        let edges = (0..<count).map { Picture.Edge(from: "\($0)", to: "\(($0 + 1) % count)", label: "next") }
        let picture = Picture(nodes: nodes, edges: edges)
        let expected = count > Picture.largestDrawing ? PictureTooLarge(count: count) : nil
        do {
            let svg = try picture.svg()
            #expect(expected == nil)
            #expect(svg.hasSuffix("</svg>\n"))
        } catch {
            #expect(error as? PictureTooLarge == expected)
        }
    }

    @Test(arguments: [(1.0, "1"), (1.25, "1.3"), (-0.04, "0"), (12.34, "12.3"), (-7.96, "-8")])
    func numbersAreShort(_ number: Double, _ text: String) {
        #expect(number.short == text)
    }
}
