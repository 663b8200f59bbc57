import Foundation
import Testing

@testable import records

@Suite struct PictureColourTests {
    private func colours(_ types: some Sequence<String>) -> [Int] {
        let nodes = types.map { Picture.Node(id: $0, title: $0, type: $0) }
        let picture = Picture(nodes: nodes, edges: [])
        return nodes.compactMap(picture.colour)
    }

    @Test func typesOfOnePictureHaveOtherColours() {
        for seed in 0..<50 {
            let types = PictureColours.palette.indices.map { "Type\($0 * 31 + seed)" }
            #expect(Set(colours(types)).count == types.count)
            #expect(colours(types.reversed()) == colours(types).reversed())
        }
    }

    @Test func typeHasTheFirstChoiceWhereItIsFree() {
        // These do not change from release to release.
        #expect(colours(["School"]) + colours(["Person"]) + colours(["Book"]) == [10, 15, 15])
        #expect(colours(["Person", "School", "Book"]) == [0, 10, 15])
        let first = colours(["Type1"])[0]
        let other = (2...).lazy.map { "Type\($0)" }.first { colours([$0])[0] == first }
        #expect(other.map { colours([$0, "Type1"]) } == [(first + 1) % PictureColours.palette.count, first])
    }

    @Test func moreTypesThanColoursShareThemEvenly() {
        let counts = Dictionary(grouping: colours((0..<40).map { "Type\($0)" })) { $0 }.values.map(\.count)
        #expect(counts.count == PictureColours.palette.count && counts.allSatisfy { (2...3).contains($0) })
    }

    @Test func missingBoxHasNoColour() {
        let picture = Picture(nodes: [], edges: [Picture.Edge(from: "A/1", to: "A/2", label: "next")])
        #expect(picture.colours.isEmpty && picture.nodes.allSatisfy { picture.colour(of: $0) == nil })
    }

    /// The red, green and blue light of a colour, from 0 to 1.
    private func light(_ colour: String) throws -> [Double] {
        let number = try #require(Int(colour.dropFirst(), radix: 16))
        return [16, 8, 0].map { shift in
            let part = Double((number >> shift) & 0xff) / 255
            return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
    }

    /// The distance of two colours in the space Oklab, where 0.02 is just seen side by side.
    private func distance(_ one: String, _ other: String) throws -> Double {
        func place(_ colour: String) throws -> [Double] {
            let light = try light(colour)
            func mixed(_ rows: [[Double]], _ parts: [Double]) -> [Double] {
                rows.map { row in zip(row, parts).reduce(0) { $0 + $1.0 * $1.1 } }
            }
            let cones = mixed(
                [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]], light)
            return mixed(
                [[0.2105, 0.7936, -0.0041], [1.978, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]], cones.map(cbrt))
        }
        return try zip(place(one), place(other)).reduce(0) { $0 + pow($1.0 - $1.1, 2) }.squareRoot()
    }

    @Test func everyTwoColoursAreDistinguishable() throws {
        for (index, one) in PictureColours.palette.enumerated() {
            for other in PictureColours.palette.dropFirst(index + 1) {
                for (one, other) in [(one.light, other.light), (one.dark, other.dark)] {
                    let distances = try [distance(one.ground, other.ground), distance(one.border, other.border)]
                    #expect(distances.contains { $0 > 0.09 }, "\(one) \(other)")
                }
            }
        }
    }

    /// The contrast of two colours, from 1 to 21, as the Web Content Accessibility Guidelines define it.
    private func contrast(_ one: String, _ other: String) throws -> Double {
        func luminance(_ colour: String) throws -> Double {
            zip([0.2126, 0.7152, 0.0722], try light(colour)).reduce(0) { $0 + $1.0 * $1.1 }
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
