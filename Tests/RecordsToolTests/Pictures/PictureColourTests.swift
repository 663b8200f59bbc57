import Foundation
import Testing

@testable import records

@Suite struct PictureColourTests {
    @Test func typeHasTheSameColourInEveryPicture() throws {
        let types = ["School", "Person", "Book", "A", "Z"]
        let alone = types.map { Picture(nodes: [Picture.Node(id: $0, title: $0, type: $0)], edges: []).colours }
        let nodes = types.reversed().map { Picture.Node(id: $0, title: $0, type: $0) }
        let together = Picture(nodes: nodes, edges: [])
        #expect(alone == nodes.reversed().map { together.colour(of: $0).map { [$0] } ?? [] })
        // These do not change from release to release, either.
        #expect(["School", "Person", "Book"].map(PictureColours.number) == [3, 4, 6])
    }

    /// The contrast of two colours, from 1 to 21, as the Web Content Accessibility Guidelines define it.
    private func contrast(_ one: String, _ other: String) throws -> Double {
        func luminance(_ colour: String) throws -> Double {
            let number = try #require(Int(colour.dropFirst(), radix: 16))
            let parts = [16, 8, 0].map { shift -> Double in
                let part = Double((number >> shift) & 0xff) / 255
                return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        let sorted = try [luminance(one), luminance(other)].sorted()
        return (sorted[1] + 0.05) / (sorted[0] + 0.05)
    }

    @Test(arguments: PictureColours.palette.indices)
    func coloursAreReadable(_ number: Int) throws {
        let colours = PictureColours.palette[number]
        #expect(try contrast(colours.light.ground, "#1f2328") > 7)
        #expect(try contrast(colours.light.border, "#ffffff") > 4.5)
        #expect(try contrast(colours.dark.ground, "#e6edf3") > 7)
        #expect(try contrast(colours.dark.border, "#0d1117") > 4.5)
    }
}
