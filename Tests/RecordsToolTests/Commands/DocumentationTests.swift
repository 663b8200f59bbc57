import Foundation
import Testing

/// What the documentation shows of the tool is what it prints; `Scripts/check-documentation` compares the transcripts.
@Suite struct DocumentationTests {
    private let package = SchoolFile.url.deletingLastPathComponent().deletingLastPathComponent()

    @Test func pictureIsThatOfTheSample() throws {
        let folder = try SchoolFile.folder()
        let resources = package.appending(path: "Sources/NestedRecords/NestedRecords.docc/Resources")
        let picture = try String(contentsOf: resources.appending(path: "school.svg"), encoding: .utf8)
        #expect(try folder.output("records graph school.records --format svg") == picture)
    }

    @Test func mainJobGoesThereAndBack() throws {
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("\nswift run records flatten Samples/school.json\n"))
        let folder = try ToolFolder()
        let nested = try folder.output(
            "records flatten -q '\(SchoolFile.url.path)' | records nest - --compact")
        #expect(nested.hasPrefix(#"{"id":"hilltop","name":"Hilltop School","location":"57.05;-5.13","founded":1921,"#))
    }
}
