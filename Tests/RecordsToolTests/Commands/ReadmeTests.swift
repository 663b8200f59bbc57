import Foundation
import NestedRecords
import Testing

/// The README shows what the tool really prints.
@Suite struct ReadmeTests {
    private let readme: String
    private let package = SchoolFile.url.deletingLastPathComponent().deletingLastPathComponent()

    init() throws {
        readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
    }

    @Test func shownCommandsPrintWhatIsShown() throws {
        // Sizes depend on a number in each file that is written with as many bytes as it needs.
        let folder = try SchoolFile.folder()
        let blocks = readme.components(separatedBy: "```\n$ records ").dropFirst()
        let block = try #require(blocks.first?.components(separatedBy: "\n```").first)
        let parts = block.components(separatedBy: "\n\n$ records ")
        #expect(parts.count == 4)
        for part in parts {
            let command = try #require(part.split(separator: "\n").first)
            let output = try folder.output("records \(command)")
            #expect(withoutSizes("\(command)\n\(output)") == withoutSizes(part + "\n"))
        }
    }

    private func withoutSizes(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isSize = ["live bytes", "file size"].contains { line.hasPrefix($0) }
            return isSize ? line.prefix(10).description : line.description
        }
        // The column of the bytes of each type.
        return lines.joined(separator: "\n").replacing(/(?m)^(\w+ +\d+ +\d+ +)\d+/) { "\($0.1)" }
    }

    @Test func pictureIsThatOfTheSample() throws {
        let folder = try SchoolFile.folder()
        let picture = try String(contentsOf: package.appending(path: "Samples/school.svg"), encoding: .utf8)
        #expect(try folder.output("records graph school.records --format svg") == picture)
    }

    @Test func mainJobGoesThereAndBack() throws {
        #expect(readme.contains("\nswift run records flatten Samples/school.json\n"))
        #expect(
            readme.contains(
                "\nswift run records flatten Samples/school.json | swift run records nest - school/hilltop\n"))
        let folder = try ToolFolder()
        let nested = try folder.output(
            "records flatten '\(SchoolFile.url.path)' | records nest - school/hilltop --compact")
        #expect(nested.hasPrefix(#"{"id":"hilltop","name":"Hilltop School","location":"57.05;-5.13","founded":1921,"#))
    }
}
